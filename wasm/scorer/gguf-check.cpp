#include "gguf-check.h"

#include "failure.h"
#include "llama.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace optio {

namespace {

constexpr size_t kReadAhead = 1u << 20;
constexpr uint64_t kMaxEntries = 1u << 20;     // key-value pairs, tensors
constexpr uint64_t kMaxKeyBytes = 65535;       // the format's own limit
constexpr uint64_t kMaxNameBytes = 63;         // what llama.cpp stores
constexpr uint64_t kMaxLayers = 512;           // LLAMA_MAX_LAYERS
constexpr int64_t kMaxDimension = int64_t{ 1 } << 31;

[[noreturn]] void invalid(const std::string & what) { throw Failure("model_invalid", what); }

class Stream {
  public:
    explicit Stream(FileSource & file) : file_(file), size_(file.size()) {}

    uint64_t at() const { return at_; }
    uint64_t size() const { return size_; }
    uint64_t left() const { return size_ - at_; }

    template <typename T> T number(const char * what) {
        T value;
        copy(&value, sizeof(value), what);
        return value;
    }
    std::string string(uint64_t limit, const char * what) {
        const uint64_t length = number<uint64_t>(what);
        if (length > limit || length > left()) {
            invalid(std::string("the file is damaged: ") + what + " of " + std::to_string(length) + " bytes at byte " + std::to_string(at_));
        }
        std::string text(static_cast<size_t>(length), '\0');
        copy(&text[0], text.size(), what);
        return text;
    }
    void skip(uint64_t bytes, const char * what) {
        if (bytes > left()) { ends(what); }
        at_ += bytes;
    }

  private:
    [[noreturn]] void ends(const char * what) {
        invalid("the file is cut off: it ends at byte " + std::to_string(size_) + ", inside " + what);
    }
    void copy(void * destination, size_t bytes, const char * what) {
        if (bytes > left()) { ends(what); }
        auto * out = static_cast<uint8_t *>(destination);
        while (bytes > 0) {
            if (at_ < start_ || at_ >= start_ + buffer_.size()) { fill(what); }
            const size_t offset = static_cast<size_t>(at_ - start_);
            const size_t part = std::min(bytes, buffer_.size() - offset);
            std::memcpy(out, buffer_.data() + offset, part);
            out += part;
            at_ += part;
            bytes -= part;
        }
    }
    void fill(const char * what) {
        buffer_.resize(static_cast<size_t>(std::min<uint64_t>(kReadAhead, left())));
        start_ = at_;
        const size_t got = file_.read(buffer_.data(), at_, buffer_.size());
        if (got == 0) { ends(what); }
        buffer_.resize(got);
    }

    FileSource & file_;
    uint64_t size_;
    uint64_t at_ = 0;
    uint64_t start_ = 0;
    std::vector<uint8_t> buffer_;
};

uint64_t scalar_bytes(uint32_t type) {
    switch (type) {
        case GGUF_TYPE_UINT8: case GGUF_TYPE_INT8: case GGUF_TYPE_BOOL: return 1;
        case GGUF_TYPE_UINT16: case GGUF_TYPE_INT16: return 2;
        case GGUF_TYPE_UINT32: case GGUF_TYPE_INT32: case GGUF_TYPE_FLOAT32: return 4;
        case GGUF_TYPE_UINT64: case GGUF_TYPE_INT64: case GGUF_TYPE_FLOAT64: return 8;
        default: return 0;
    }
}

// What the check needs to know of the key-value pairs.
struct Metadata {
    std::map<std::string, uint64_t> integers;
    std::map<std::string, std::string> strings;
    std::map<std::string, uint64_t> array_lengths;
};

void read_array(Stream & in, const std::string & key, Metadata & metadata) {
    const uint32_t type = in.number<uint32_t>("an array");
    const uint64_t count = in.number<uint64_t>("an array");
    metadata.array_lengths[key] = count;
    if (type == GGUF_TYPE_STRING) {
        if (count > in.left() / 8) { invalid("the file is damaged: \"" + key + "\" claims " + std::to_string(count) + " strings"); }
        for (uint64_t i = 0; i < count; i++) { in.skip(in.number<uint64_t>("a string"), "a string"); }
        return;
    }
    const uint64_t bytes = scalar_bytes(type);
    if (bytes == 0) { invalid("the file is damaged: \"" + key + "\" is an array of the unknown type " + std::to_string(type)); }
    if (count > in.left() / bytes) { invalid("the file is damaged: \"" + key + "\" claims " + std::to_string(count) + " numbers"); }
    in.skip(count * bytes, "an array");
}

void read_pair(Stream & in, Metadata & metadata) {
    const std::string key = in.string(kMaxKeyBytes, "a key");
    if (key.empty()) { invalid("the file is damaged: an empty key at byte " + std::to_string(in.at())); }
    const uint32_t type = in.number<uint32_t>("a value");
    const bool twice = metadata.integers.count(key) || metadata.strings.count(key) || metadata.array_lengths.count(key);
    if (twice) { invalid("the file is damaged: the key \"" + key + "\" occurs twice"); }
    switch (type) {
        case GGUF_TYPE_STRING: metadata.strings[key] = in.string(in.left(), "a string"); return;
        case GGUF_TYPE_ARRAY: read_array(in, key, metadata); return;
        case GGUF_TYPE_UINT32: metadata.integers[key] = in.number<uint32_t>("a value"); return;
        case GGUF_TYPE_UINT64: metadata.integers[key] = in.number<uint64_t>("a value"); return;
        case GGUF_TYPE_UINT16: metadata.integers[key] = in.number<uint16_t>("a value"); return;
        default: break;
    }
    const uint64_t bytes = scalar_bytes(type);
    if (bytes == 0) { invalid("the file is damaged: \"" + key + "\" has the unknown type " + std::to_string(type)); }
    in.skip(bytes, "a value");
}

void check_metadata(const Metadata & metadata) {
    const auto architecture = metadata.strings.find("general.architecture");
    if (architecture == metadata.strings.end() || architecture->second.empty()) {
        invalid("the file names no architecture (key \"general.architecture\")");
    }
    const auto integer = [&](const std::string & key) {
        const auto found = metadata.integers.find(key);
        return found == metadata.integers.end() ? uint64_t{ 0 } : found->second;
    };
    const std::string prefix = architecture->second + ".";
    const uint64_t layers = integer(prefix + "block_count");
    if (layers > kMaxLayers) { invalid("the file claims " + std::to_string(layers) + " layers"); }
    for (const char * key : { "embedding_length", "context_length", "vocab_size" }) {
        const uint64_t value = integer(prefix + key);
        if (value > uint64_t{ 1 } << 30) { invalid("\"" + prefix + key + "\" is " + std::to_string(value)); }
    }
    const uint64_t width = integer(prefix + "embedding_length");
    const uint64_t heads = integer(prefix + "attention.head_count");
    if (heads > std::max<uint64_t>(width, 1)) { invalid("the file claims " + std::to_string(heads) + " attention heads"); }
    const uint64_t key_heads = integer(prefix + "attention.head_count_kv");
    if (heads > 0 && key_heads > 0 && heads % key_heads != 0) {
        invalid(std::to_string(heads) + " attention heads do not divide by " + std::to_string(key_heads) + " key-value heads");
    }
    const auto tokens = metadata.array_lengths.find("tokenizer.ggml.tokens");
    for (const char * key : { "tokenizer.ggml.scores", "tokenizer.ggml.token_type" }) {
        const auto found = metadata.array_lengths.find(key);
        if (found == metadata.array_lengths.end() || tokens == metadata.array_lengths.end()) { continue; }
        if (found->second < tokens->second) { invalid("\"" + std::string(key) + "\" is shorter than the vocabulary"); }
    }
    if (integer("split.count") > 1) {
        throw Failure("model_unsupported", "the file is one part of a model that was split; merge the parts into one file");
    }
}

struct Extent {
    uint64_t offset = 0;
    uint64_t bytes = 0;
};

Extent read_tensor(Stream & in, std::set<std::string> & names, uint64_t alignment) {
    const std::string name = in.string(kMaxNameBytes, "a tensor's name");
    const auto bad = [&](const std::string & what) { invalid("the file is damaged: tensor \"" + name + "\" " + what); };
    if (!names.insert(name).second) { bad("occurs twice"); }
    const uint32_t dimensions = in.number<uint32_t>("a tensor's shape");
    if (dimensions < 1 || dimensions > GGML_MAX_DIMS) { bad("has " + std::to_string(dimensions) + " dimensions"); }
    uint64_t elements = 1;
    int64_t row = 0;
    for (uint32_t i = 0; i < dimensions; i++) {
        const int64_t length = in.number<int64_t>("a tensor's shape");
        if (length < 1 || length > kMaxDimension) { bad("has a dimension of " + std::to_string(length)); }
        if (i == 0) { row = length; }
        elements *= static_cast<uint64_t>(length);
        if (elements > uint64_t{ 1 } << 40) { bad("is too large"); }
    }
    const uint32_t type = in.number<uint32_t>("a tensor's type");
    const bool known = type < GGML_TYPE_COUNT && ggml_type_size(static_cast<ggml_type>(type)) > 0 &&
                       ggml_blck_size(static_cast<ggml_type>(type)) > 0;
    if (!known) { bad("has the unknown type " + std::to_string(type)); }
    const int64_t block = ggml_blck_size(static_cast<ggml_type>(type));
    if (row % block != 0) { bad("has rows of " + std::to_string(row) + " numbers, not a multiple of " + std::to_string(block)); }
    Extent extent;
    extent.bytes = elements / static_cast<uint64_t>(block) * ggml_type_size(static_cast<ggml_type>(type));
    extent.offset = in.number<uint64_t>("a tensor's offset");
    if (extent.offset % alignment != 0) { bad("is not aligned"); }
    return extent;
}

} // namespace

void check_gguf(FileSource & file) {
    Stream in(file);
    char magic[4];
    if (in.size() < 24) { invalid("the file has " + std::to_string(in.size()) + " bytes, too few for a GGUF file"); }
    for (char & c : magic) { c = in.number<char>("the magic number"); }
    if (std::memcmp(magic, "GGUF", 4) != 0) { invalid("the file does not begin with the letters GGUF: it is no GGUF model"); }
    const uint32_t version = in.number<uint32_t>("the version");
    if (version < 2 || version > 3) {
        const bool swapped = version != 0 && (version & 0xFFFF) == 0;
        invalid(swapped ? "the file is big-endian, which is not supported" : "GGUF version " + std::to_string(version) + " is not supported");
    }
    const uint64_t tensors = in.number<uint64_t>("the header");
    const uint64_t pairs = in.number<uint64_t>("the header");
    if (tensors == 0 || tensors > kMaxEntries) { invalid("the file claims " + std::to_string(tensors) + " tensors"); }
    if (pairs == 0 || pairs > kMaxEntries) { invalid("the file claims " + std::to_string(pairs) + " metadata entries"); }

    Metadata metadata;
    for (uint64_t i = 0; i < pairs; i++) { read_pair(in, metadata); }
    check_metadata(metadata);
    const auto found = metadata.integers.find("general.alignment");
    const uint64_t alignment = found == metadata.integers.end() ? GGUF_DEFAULT_ALIGNMENT : found->second;
    if (alignment == 0 || alignment > 1u << 20 || (alignment & (alignment - 1)) != 0) {
        invalid("the file claims an alignment of " + std::to_string(alignment) + " bytes");
    }

    std::set<std::string> names;
    uint64_t end = 0;
    for (uint64_t i = 0; i < tensors; i++) {
        const Extent extent = read_tensor(in, names, alignment);
        if (extent.offset != end) { invalid("the file is damaged: tensor " + std::to_string(i) + " does not follow the one before it"); }
        end = extent.offset + (extent.bytes + alignment - 1) / alignment * alignment;
        const uint64_t needed = extent.offset + extent.bytes;
        if (needed > in.size()) { // the start of the data is added below; this keeps the sums small
            invalid("the file is cut off: tensor " + std::to_string(i) + " ends at byte " + std::to_string(needed) + " of the data");
        }
        if (i + 1 < tensors) { continue; }
        const uint64_t start = (in.at() + alignment - 1) / alignment * alignment;
        if (start + needed > in.size()) {
            invalid("the file is cut off: it has " + std::to_string(in.size()) + " bytes and should have " + std::to_string(start + needed));
        }
    }
}

} // namespace optio
