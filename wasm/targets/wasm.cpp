// The module: the protocol's frames as exports, the model's bytes and everything else of the outside as imports.

#include "../scorer/dispatch.h"
#include "../scorer/failure.h"
#include "../scorer/llama-log.h"

#include <emscripten.h>

#include <algorithm>
#include <cstring>

// The host's functions are wrapped so that what they throw cannot pass through C++ frames.
EM_JS(double, optio_js_read, (uint8_t * destination, double offset, uint32_t bytes), {
    const start = destination >>> 0;
    try {
        return Module["optioRead"](HEAPU8.subarray(start, start + (bytes >>> 0)), offset);
    } catch (error) {
        console.error(error);
        return -1;
    }
});

EM_JS(void, optio_js_emit, (const uint8_t * frame, uint32_t bytes), {
    const start = frame >>> 0;
    try {
        if (Module["optioEmit"]) Module["optioEmit"](HEAPU8.slice(start, start + (bytes >>> 0)));
    } catch (error) {
        console.error(error);
    }
});

EM_JS(int, optio_js_aborted, (), {
    try {
        return Module["optioAborted"] && Module["optioAborted"]() ? 1 : 0;
    } catch (error) {
        console.error(error);
        return 1;
    }
});

#ifdef OPTIO_THREADS
EM_JS(int, optio_js_idle_workers, (), { return PThread.unusedWorkers.length; });
#endif

// Memory that other threads grew shows in this thread's views only after a look at them.
EM_JS(void, optio_js_refresh_views, (), { HEAPU8.length; });

namespace {

constexpr uint64_t kMaxFileBytes = (uint64_t{ 1 } << 32) - (64u << 20); // what 32-bit memory can hold at all
constexpr size_t kReadAhead = 1u << 20;

// llama.cpp reads headers and small tensors in small pieces: those come out of a buffer. Large reads go to their destination directly.
class HostFile : public optio::FileSource {
  public:
    explicit HostFile(uint64_t size) : size_(size) {}

    uint64_t size() const override { return size_; }

    size_t read(void * destination, uint64_t offset, size_t bytes) override {
        if (offset >= size_) { return 0; }
        bytes = static_cast<size_t>(std::min<uint64_t>(bytes, size_ - offset));
        auto * out = static_cast<uint8_t *>(destination);
        if (bytes >= kReadAhead) {
            fetch(out, offset, bytes);
            return bytes;
        }
        if (offset < start_ || offset + bytes > start_ + buffer_.size()) {
            buffer_.resize(static_cast<size_t>(std::min<uint64_t>(kReadAhead, size_ - offset)));
            start_ = offset;
            fetch(buffer_.data(), offset, buffer_.size());
        }
        std::memcpy(out, buffer_.data() + (offset - start_), bytes);
        return bytes;
    }

    FILE * stream() override {
        cookie_io_functions_t io{};
        io.read = [](void * cookie, char * out, size_t bytes) -> ssize_t {
            auto & stream = *static_cast<Stream *>(cookie);
            try {
                const size_t got = stream.file.read(out, static_cast<uint64_t>(stream.at), bytes);
                stream.at += static_cast<off_t>(got);
                return static_cast<ssize_t>(got);
            } catch (const std::exception &) {
                errno = EIO;
                return -1;
            }
        };
        io.seek = [](void * cookie, off_t * offset, int whence) -> int {
            auto & stream = *static_cast<Stream *>(cookie);
            const off_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? stream.at : static_cast<off_t>(stream.file.size());
            if (base + *offset < 0) {
                errno = EINVAL;
                return -1;
            }
            stream.at = *offset = base + *offset;
            return 0;
        };
        io.close = [](void * cookie) -> int {
            delete static_cast<Stream *>(cookie);
            return 0;
        };
        FILE * file = fopencookie(new Stream{ *this, 0 }, "rb", io);
        if (file == nullptr) { throw std::bad_alloc(); }
        return file;
    }

  private:
    struct Stream {
        HostFile & file;
        off_t at;
    };

    void fetch(uint8_t * out, uint64_t offset, size_t bytes) {
        while (bytes > 0) {
            const double got = optio_js_read(out, static_cast<double>(offset), static_cast<uint32_t>(bytes));
            if (got <= 0 || got > static_cast<double>(bytes)) {
                start_ = 0;
                buffer_.clear();
                throw optio::Failure("model_invalid", "the host could not read " + std::to_string(bytes) + " bytes of the model file at byte " +
                                                          std::to_string(offset));
            }
            out += static_cast<size_t>(got);
            offset += static_cast<uint64_t>(got);
            bytes -= static_cast<size_t>(got);
        }
    }

    uint64_t size_;
    uint64_t start_ = 0;
    std::vector<uint8_t> buffer_;
};

class ModuleHost : public optio::Host {
  public:
    const char * target() const override { return "wasm"; }
    std::string variant() override { return OPTIO_VARIANT; }
#ifdef OPTIO_THREADS
    // A thread can only run on a worker that was started before this call: those that are idle, or already in the pool.
    int max_threads() override {
        static const int workers = optio_js_idle_workers();
        return workers + 1;
    }
#else
    int max_threads() override { return 1; }
#endif
    bool aborted() override { return optio_js_aborted() != 0; }
    void emit(const std::vector<uint8_t> & frame) override { optio_js_emit(frame.data(), static_cast<uint32_t>(frame.size())); }

    std::unique_ptr<optio::FileSource> open(const std::string &, uint64_t size_bytes) override {
        if (size_bytes == 0) { throw optio::Failure("model_invalid", "the file is empty, or \"sizeBytes\" was not given"); }
        if (size_bytes > kMaxFileBytes) {
            throw optio::Failure("out_of_memory", "a file of " + std::to_string(size_bytes) + " bytes does not fit into the 4 GiB of a WebAssembly module");
        }
        return std::make_unique<HostFile>(size_bytes);
    }
};

struct Module {
    ModuleHost host;
    optio::Dispatcher dispatcher{ host };
    std::vector<uint8_t> answer;

    Module() {
        optio::capture_llama_log();
        llama_backend_init();
    }
};

Module & module() {
    static Module instance;
    return instance;
}

} // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE uint8_t * optio_alloc(uint32_t bytes) {
    auto * pointer = static_cast<uint8_t *>(std::malloc(bytes));
    optio_js_refresh_views();
    return pointer;
}

EMSCRIPTEN_KEEPALIVE void optio_free(uint8_t * pointer) { std::free(pointer); }

EMSCRIPTEN_KEEPALIVE int optio_call(const uint8_t * frame, uint32_t bytes) {
    module().answer.clear();
    module().answer = module().dispatcher.answer(frame, bytes);
    optio_js_refresh_views();
    return 0;
}

EMSCRIPTEN_KEEPALIVE const uint8_t * optio_answer() { return module().answer.data(); }

EMSCRIPTEN_KEEPALIVE uint32_t optio_answer_bytes() { return static_cast<uint32_t>(module().answer.size()); }

}
