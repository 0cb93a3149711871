#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace optio {

// What goes wrong in a way that the caller is told about: one of the codes of PROTOCOL.md, and details as JSON.
class Failure : public std::runtime_error {
  public:
    Failure(std::string code, const std::string & message, std::string details = "{}")
        : std::runtime_error(message), code_(std::move(code)), details_(std::move(details)) {}

    const std::string & code() const { return code_; }
    const std::string & details() const { return details_; }

  private:
    std::string code_;
    std::string details_;
};

// Does something when its scope is left, unless it is dismissed: with dismiss() at the end of the scope, only on exceptions.
// Used instead of catching and throwing again, which loses the exception's type in WebAssembly with threads (emscripten 3.1.6).
template <typename Work> class OnExit {
  public:
    explicit OnExit(Work work) : work_(std::move(work)) {}
    ~OnExit() {
        if (armed_) { work_(); }
    }
    OnExit(const OnExit &) = delete;
    OnExit & operator=(const OnExit &) = delete;
    void dismiss() { armed_ = false; }

  private:
    Work work_;
    bool armed_ = true;
};

} // namespace optio
