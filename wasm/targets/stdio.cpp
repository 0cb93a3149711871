// The native program: frames over stdin and stdout. Only frames go to stdout; logs go to stderr. It ends when stdin does.

#include "../scorer/dispatch.h"
#include "../scorer/failure.h"
#include "../scorer/llama-log.h"

#include "ggml-backend.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

namespace {

// Where the frames go. The program's own stdout becomes stderr, so that nothing a library prints gets between them.
int frames_out = -1;

bool read_exactly(int fd, uint8_t * out, size_t bytes) {
    while (bytes > 0) {
        const ssize_t got = ::read(fd, out, bytes);
        if (got < 0 && errno == EINTR) { continue; }
        if (got <= 0) { return false; }
        out += got;
        bytes -= static_cast<size_t>(got);
    }
    return true;
}

void write_frame(const std::vector<uint8_t> & frame) {
    size_t done = 0;
    while (done < frame.size()) {
        const ssize_t wrote = ::write(frames_out, frame.data() + done, frame.size() - done);
        if (wrote < 0 && errno == EINTR) { continue; }
        if (wrote <= 0) { _exit(0); } // nobody reads any more
        done += static_cast<size_t>(wrote);
    }
}

struct Request {
    uint64_t number = 0;
    std::vector<uint8_t> frame;
    std::vector<uint8_t> refusal; // instead of a frame, where that could not be read
};

// Requests in the order in which they came, read by a thread of its own so that "cancel" is seen while a call runs.
class Inbox {
  public:
    void start() {
        std::thread([this] { read(); }).detach();
    }
    // False when stdin ended.
    bool next(Request & request) {
        std::unique_lock<std::mutex> lock(mutex_);
        arrived_.wait(lock, [this] { return !requests_.empty() || ended_; });
        if (requests_.empty()) { return false; }
        request = std::move(requests_.front());
        requests_.pop_front();
        current_ = request.number;
        return true;
    }
    // A cancel stops every call that was sent before it.
    bool cancelled() const { return ended_ || last_cancel_ > current_; }

  private:
    void read() {
        for (uint64_t number = 1;; number++) {
            Request request;
            request.number = number;
            if (!read_one(request)) { break; }
            const bool whole = request.frame.size() >= optio::kHeaderBytes;
            const bool cancel = whole && optio::read_header(request.frame.data()).op == static_cast<uint16_t>(optio::Op::cancel);
            std::lock_guard<std::mutex> lock(mutex_);
            if (cancel) { last_cancel_ = number; }
            requests_.push_back(std::move(request));
            arrived_.notify_one();
        }
        std::lock_guard<std::mutex> lock(mutex_);
        ended_ = true;
        arrived_.notify_one();
    }
    static bool read_one(Request & request) {
        uint8_t length_bytes[4];
        if (!read_exactly(STDIN_FILENO, length_bytes, sizeof(length_bytes))) { return false; }
        uint32_t length = 0;
        std::memcpy(&length, length_bytes, sizeof(length));
        const size_t kept = length > optio::kMaxFrameBytes ? optio::kHeaderBytes - 4 : length;
        request.frame.resize(4 + kept);
        std::memcpy(request.frame.data(), length_bytes, sizeof(length_bytes));
        if (!read_exactly(STDIN_FILENO, request.frame.data() + 4, kept)) { return false; }
        if (kept == length) { return true; }
        const optio::FrameHeader header = optio::read_header(request.frame.data());
        request.frame.clear();
        request.refusal = optio::Dispatcher::refuse(header.op, header.id, "protocol_mismatch",
                                                    "a frame of " + std::to_string(length) + " bytes is larger than a frame may be");
        return discard(length - kept);
    }
    static bool discard(size_t bytes) {
        std::vector<uint8_t> buffer(1u << 20);
        while (bytes > 0) {
            const size_t part = std::min(bytes, buffer.size());
            if (!read_exactly(STDIN_FILENO, buffer.data(), part)) { return false; }
            bytes -= part;
        }
        return true;
    }

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Request> requests_;
    std::atomic<uint64_t> last_cancel_{ 0 };
    std::atomic<uint64_t> current_{ 0 };
    std::atomic<bool> ended_{ false };
};

class DiskFile : public optio::FileSource {
  public:
    explicit DiskFile(const std::string & path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        struct stat status{};
        if (fd_ < 0 || ::fstat(fd_, &status) != 0) {
            throw optio::Failure("model_invalid", "\"" + path + "\" cannot be opened: " + std::strerror(errno));
        }
        if (!S_ISREG(status.st_mode)) { throw optio::Failure("model_invalid", "\"" + path + "\" is not a file"); }
        size_ = static_cast<uint64_t>(status.st_size);
    }
    ~DiskFile() override {
        if (fd_ >= 0) { ::close(fd_); }
    }
    uint64_t size() const override { return size_; }
    size_t read(void * destination, uint64_t offset, size_t bytes) override {
        const ssize_t got = ::pread(fd_, destination, bytes, static_cast<off_t>(offset));
        if (got < 0) { throw optio::Failure("model_invalid", std::string("the model file cannot be read: ") + std::strerror(errno)); }
        return static_cast<size_t>(got);
    }
    FILE * stream() override { return nullptr; }

  private:
    int fd_;
    uint64_t size_ = 0;
};

std::string library_of(const void * symbol) {
    Dl_info info{};
    return dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

class ProcessHost : public optio::Host {
  public:
    explicit ProcessHost(const Inbox & inbox) : inbox_(inbox) {}

    const char * target() const override { return "native"; }
    // The first GPU, else the CPU back end that was chosen for this machine, for example "cpu-icelake".
    std::string variant() override {
        if (ggml_backend_dev_t gpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_GPU)) { return ggml_backend_dev_name(gpu); }
        ggml_backend_dev_t cpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
        if (cpu == nullptr) { return "none"; }
        const std::string path = library_of(ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(cpu), "ggml_threadpool_new"));
        const size_t start = path.rfind("ggml-cpu-");
        const size_t end = path.rfind('.');
        return start == std::string::npos || end == std::string::npos || end < start ? "cpu" : path.substr(start + 5, end - start - 5);
    }
    bool aborted() override { return inbox_.cancelled(); }
    void emit(const std::vector<uint8_t> & frame) override { write_frame(frame); }
    int max_threads() override { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }
    std::unique_ptr<optio::FileSource> open(const std::string & path, uint64_t) override {
        if (path.empty()) { throw optio::Failure("protocol_mismatch", "\"path\" is missing: the native program opens the file itself"); }
        return std::make_unique<DiskFile>(path);
    }

  private:
    const Inbox & inbox_;
};

} // namespace

int main() {
    frames_out = ::dup(STDOUT_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    std::signal(SIGPIPE, SIG_IGN);

    optio::capture_llama_log();
    // The back ends lie beside the library that this program was linked to.
    const std::string library = library_of(reinterpret_cast<const void *>(&llama_backend_init));
    ggml_backend_load_all_from_path(library.substr(0, library.rfind('/')).c_str());
    llama_backend_init();

    Inbox inbox;
    ProcessHost host(inbox);
    optio::Dispatcher dispatcher(host);
    inbox.start();
    Request request;
    while (inbox.next(request)) {
        write_frame(request.refusal.empty() ? dispatcher.answer(request.frame.data(), request.frame.size()) : request.refusal);
    }
    _exit(0); // the reader thread may still hold stdin
}
