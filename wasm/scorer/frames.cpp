#include "frames.h"

#include "failure.h"

#include <cstring>

namespace optio {

namespace {

template <typename T> T load(const uint8_t * bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
}

constexpr size_t padded(size_t size) { return (size + 3) / 4 * 4; }

} // namespace

FrameHeader read_header(const uint8_t * bytes) {
    return { load<uint32_t>(bytes), load<uint16_t>(bytes + 4), load<uint16_t>(bytes + 6), load<uint32_t>(bytes + 8) };
}

const uint8_t * FrameReader::take(size_t size) {
    if (size > size_ - at_) {
        throw Failure("protocol_mismatch", "the payload ends at byte " + std::to_string(size_) + ", but " +
                                               std::to_string(size) + " bytes were expected at byte " + std::to_string(at_));
    }
    const uint8_t * bytes = bytes_ + at_;
    at_ += size;
    return bytes;
}

uint32_t FrameReader::u32() { return load<uint32_t>(take(4)); }
int32_t FrameReader::i32() { return load<int32_t>(take(4)); }
double FrameReader::f64() { return load<double>(take(8)); }

std::string_view FrameReader::string() {
    const uint32_t size = u32();
    if (size > size_) { take(size); }
    const uint8_t * bytes = take(padded(size));
    return { reinterpret_cast<const char *>(bytes), size };
}

std::vector<int32_t> FrameReader::i32s() {
    const uint32_t count = this->count(4);
    std::vector<int32_t> values(count);
    const uint8_t * bytes = take(size_t{ count } * 4);
    if (count > 0) { std::memcpy(values.data(), bytes, size_t{ count } * 4); }
    return values;
}

uint32_t FrameReader::count(size_t least) {
    const uint32_t count = u32();
    if (count > (size_ - at_) / least) {
        throw Failure("protocol_mismatch", "a count of " + std::to_string(count) + " does not fit in the " +
                                               std::to_string(size_ - at_) + " bytes that follow it");
    }
    return count;
}

void FrameReader::finish() const {
    if (at_ != size_) {
        throw Failure("protocol_mismatch", "the payload has " + std::to_string(size_ - at_) + " bytes too many");
    }
}

FrameWriter::FrameWriter(Kind kind, uint16_t op, uint32_t id) {
    const uint32_t length = 0;
    const uint16_t kind_and_op[] = { static_cast<uint16_t>(kind), op };
    append(&length, sizeof(length));
    append(kind_and_op, sizeof(kind_and_op));
    append(&id, sizeof(id));
}

FrameWriter & FrameWriter::u32(uint32_t value) { append(&value, sizeof(value)); return *this; }
FrameWriter & FrameWriter::f32(float value) { append(&value, sizeof(value)); return *this; }
FrameWriter & FrameWriter::f64(double value) { append(&value, sizeof(value)); return *this; }

FrameWriter & FrameWriter::string(std::string_view text) {
    u32(static_cast<uint32_t>(text.size()));
    append(text.data(), text.size());
    bytes_.resize(padded(bytes_.size()));
    return *this;
}

FrameWriter & FrameWriter::i32s(const std::vector<int32_t> & values) {
    u32(static_cast<uint32_t>(values.size()));
    append(values.data(), values.size() * sizeof(int32_t));
    return *this;
}

FrameWriter & FrameWriter::f32s(const float * values, size_t count) {
    u32(static_cast<uint32_t>(count));
    append(values, count * sizeof(float));
    return *this;
}

std::vector<uint8_t> FrameWriter::finish() {
    const size_t length = bytes_.size() - 4;
    if (length > kMaxFrameBytes) {
        throw Failure("protocol_mismatch", "the answer of " + std::to_string(length) + " bytes is larger than a frame may be");
    }
    const uint32_t field = static_cast<uint32_t>(length);
    std::memcpy(bytes_.data(), &field, sizeof(field));
    return std::move(bytes_);
}

void FrameWriter::append(const void * data, size_t size) {
    const auto * bytes = static_cast<const uint8_t *>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
}

} // namespace optio
