#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace optio {

// The bytes of a model file, wherever they lie.
class FileSource {
  public:
    virtual ~FileSource() = default;
    virtual uint64_t size() const = 0;
    // Bytes read, fewer only at the end of the file; throws Failure when the host could not read.
    virtual size_t read(void * destination, uint64_t offset, size_t bytes) = 0;
    // A stream over the same bytes, for llama.cpp; null where llama.cpp is to open `path` itself.
    virtual FILE * stream() = 0;
};

// What differs between the module and the native program.
class Host {
  public:
    virtual ~Host() = default;
    virtual const char * target() const = 0;
    virtual std::string variant() = 0;
    // Whether the running call was cancelled. Asked at every node of the graph, so it must be cheap.
    virtual bool aborted() = 0;
    // Sends a progress frame while a call runs.
    virtual void emit(const std::vector<uint8_t> & frame) = 0;
    // The most threads that may be used, the caller's own included.
    virtual int max_threads() = 0;
    // Throws Failure "model_invalid" when there is no such file.
    virtual std::unique_ptr<FileSource> open(const std::string & path, uint64_t size_bytes) = 0;
};

} // namespace optio
