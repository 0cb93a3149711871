#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace optio {

constexpr uint32_t kProtocolVersion = 2;
constexpr uint32_t kMaxFrameBytes = 256u << 20;
constexpr size_t kHeaderBytes = 12;

enum class Kind : uint16_t { request = 0, result = 1, error = 2, progress = 3 };

enum class Op : uint16_t {
    hello = 1, load = 2, tokenize = 3, score = 4, step = 5, hidden = 6, forget = 7, unload = 8, cancel = 9, pieces = 10,
};

struct FrameHeader {
    uint32_t length = 0; // bytes after this field
    uint16_t kind = 0;
    uint16_t op = 0;
    uint32_t id = 0;
};

// The caller guarantees kHeaderBytes readable bytes.
FrameHeader read_header(const uint8_t * bytes);

// Reads a payload; every method throws Failure "protocol_mismatch" when the payload is too short.
class FrameReader {
  public:
    FrameReader(const uint8_t * bytes, size_t size) : bytes_(bytes), size_(size) {}

    uint32_t u32();
    int32_t i32();
    double f64();
    std::string_view string();
    std::vector<int32_t> i32s();
    // A count of things that take at least `least` bytes each, checked against what is left.
    uint32_t count(size_t least);
    // Throws when something is left over.
    void finish() const;

  private:
    const uint8_t * take(size_t size);

    const uint8_t * bytes_;
    size_t size_;
    size_t at_ = 0;
};

class FrameWriter {
  public:
    FrameWriter(Kind kind, uint16_t op, uint32_t id);

    FrameWriter & u32(uint32_t value);
    FrameWriter & f32(float value);
    FrameWriter & f64(double value);
    FrameWriter & string(std::string_view text);
    FrameWriter & i32s(const std::vector<int32_t> & values);
    FrameWriter & f32s(const float * values, size_t count);

    // The whole frame. Throws Failure "protocol_mismatch" when it is larger than the protocol allows.
    std::vector<uint8_t> finish();

  private:
    void append(const void * data, size_t size);

    std::vector<uint8_t> bytes_;
};

} // namespace optio
