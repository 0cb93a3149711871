#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace optio {

// Length in bytes of the valid UTF-8 character at the start of a text that is not empty; 0 where there is none.
size_t utf8_length(std::string_view text);

void append_utf8(std::string & out, uint32_t point);

// The text with U+FFFD in place of every byte that belongs to no valid character: what a file says may be anything.
std::string valid_utf8(std::string_view text);

} // namespace optio
