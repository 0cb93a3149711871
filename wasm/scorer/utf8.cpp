#include "utf8.h"

namespace optio {

size_t utf8_length(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    size_t length = 0;
    uint32_t point = 0;
    if (first < 0x80) { return 1; }
    if ((first & 0xE0) == 0xC0) { length = 2; point = first & 0x1F; }
    else if ((first & 0xF0) == 0xE0) { length = 3; point = first & 0x0F; }
    else if ((first & 0xF8) == 0xF0) { length = 4; point = first & 0x07; }
    else { return 0; }
    if (text.size() < length) { return 0; }
    for (size_t i = 1; i < length; i++) {
        if ((byte(i) & 0xC0) != 0x80) { return 0; }
        point = (point << 6) | (byte(i) & 0x3F);
    }
    const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    return point < smallest[length] || point > 0x10FFFF || surrogate ? 0 : length;
}

void append_utf8(std::string & out, uint32_t point) {
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += static_cast<char>(0xC0 | (point >> 6));
        out += static_cast<char>(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        out += static_cast<char>(0xE0 | (point >> 12));
        out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (point & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | (point >> 18));
        out += static_cast<char>(0x80 | ((point >> 12) & 0x3F));
        out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (point & 0x3F));
    }
}

std::string valid_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const size_t length = utf8_length(text);
        if (length == 0) {
            append_utf8(out, 0xFFFD);
            text.remove_prefix(1);
        } else {
            out += text.substr(0, length);
            text.remove_prefix(length);
        }
    }
    return out;
}

} // namespace optio
