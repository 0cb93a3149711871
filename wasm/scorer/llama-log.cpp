#include "llama-log.h"

#include "llama.h"

#include <cstdio>
#include <deque>
#include <mutex>
#include <stdexcept>

namespace optio {

namespace {

constexpr size_t kKeptLines = 4;

std::mutex mutex;
std::deque<std::string> error_lines;
thread_local bool assertions_throw = false;

void on_log(ggml_log_level level, const char * text, void *) {
    static ggml_log_level last = GGML_LOG_LEVEL_NONE;
    std::lock_guard<std::mutex> lock(mutex);
    const bool goes_on = level == GGML_LOG_LEVEL_CONT;
    if (!goes_on) { last = level; }
    if (last < GGML_LOG_LEVEL_ERROR) { return; }
    std::fputs(text, stderr);
    std::string line(text);
    while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) { line.pop_back(); }
    if (goes_on && !error_lines.empty()) {
        error_lines.back() += line;
    } else if (!line.empty()) {
        error_lines.push_back(line);
        if (error_lines.size() > kKeptLines) { error_lines.pop_front(); }
    }
}

void on_fatal(const char * message) {
    if (assertions_throw) { throw std::runtime_error(message); }
    std::fprintf(stderr, "%s\n", message);
}

} // namespace

void capture_llama_log() {
    llama_log_set(on_log, nullptr);
    ggml_set_abort_callback(on_fatal);
}

std::string llama_errors() {
    std::lock_guard<std::mutex> lock(mutex);
    std::string text;
    for (const std::string & line : error_lines) { text += (text.empty() ? "" : "; ") + line; }
    return text;
}

void clear_llama_errors() {
    std::lock_guard<std::mutex> lock(mutex);
    error_lines.clear();
}

AssertionsThrow::AssertionsThrow() { assertions_throw = true; }
AssertionsThrow::~AssertionsThrow() { assertions_throw = false; }

} // namespace optio
