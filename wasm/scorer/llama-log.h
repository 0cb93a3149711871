#pragma once

#include <string>

namespace optio {

// Takes over llama.cpp's log and its fatal errors. Call once, before anything else of llama.cpp.
void capture_llama_log();

// The error lines that llama.cpp wrote since the last call of clear_llama_errors, newest last, on one line.
std::string llama_errors();
void clear_llama_errors();

// While one lives, a failed assertion of llama.cpp on this thread is a thrown std::runtime_error instead of an abort.
// Only for loading, which holds no locks and runs on one thread.
class AssertionsThrow {
  public:
    AssertionsThrow();
    ~AssertionsThrow();
};

} // namespace optio
