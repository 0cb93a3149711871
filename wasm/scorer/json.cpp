#include "json.h"

#include "failure.h"
#include "utf8.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace optio {

namespace {

[[noreturn]] void malformed(const char * what, size_t at) {
    throw Failure("protocol_mismatch", "malformed JSON at byte " + std::to_string(at) + ": " + what);
}

class Cursor {
  public:
    explicit Cursor(std::string_view text) : text_(text) {}

    size_t at() const { return at_; }
    bool done() const { return at_ >= text_.size(); }
    char peek() const { return done() ? '\0' : text_[at_]; }

    void skip_space() {
        while (!done() && (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t')) { at_++; }
    }
    bool take(char c) {
        skip_space();
        if (peek() != c || done()) { return false; }
        at_++;
        return true;
    }
    bool take_word(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) { return false; }
        at_ += word.size();
        return true;
    }
    std::string string() {
        if (!take('"')) { malformed("a string was expected", at_); }
        std::string out;
        while (true) {
            if (done()) { malformed("unterminated string", at_); }
            const char c = text_[at_++];
            if (c == '"') { return out; }
            if (static_cast<unsigned char>(c) < 0x20) { malformed("control character in a string", at_); }
            if (c == '\\') { escape(out); } else { out += c; }
        }
    }
    double number() {
        const size_t start = at_;
        while (!done() && std::string_view("+-.0123456789eE").find(peek()) != std::string_view::npos) { at_++; }
        const std::string digits(text_.substr(start, at_ - start));
        char * end = nullptr;
        const double value = std::strtod(digits.c_str(), &end);
        if (digits.empty() || *end != '\0' || !std::isfinite(value)) { malformed("a value was expected", start); }
        return value;
    }

  private:
    uint32_t hex4() {
        uint32_t value = 0;
        for (int i = 0; i < 4; i++) {
            const char c = peek();
            uint32_t digit = 0;
            if (c >= '0' && c <= '9') { digit = c - '0'; }
            else if (c >= 'a' && c <= 'f') { digit = c - 'a' + 10; }
            else if (c >= 'A' && c <= 'F') { digit = c - 'A' + 10; }
            else { malformed("four hexadecimal digits were expected", at_); }
            value = value * 16 + digit;
            at_++;
        }
        return value;
    }
    void escape(std::string & out) {
        const char c = peek();
        at_++;
        switch (c) {
            case '"': case '\\': case '/': out += c; return;
            case 'b': out += '\b'; return;
            case 'f': out += '\f'; return;
            case 'n': out += '\n'; return;
            case 'r': out += '\r'; return;
            case 't': out += '\t'; return;
            case 'u': {
                uint32_t point = hex4();
                if (point >= 0xD800 && point < 0xDC00 && take_word("\\u")) {
                    const uint32_t low = hex4();
                    if (low < 0xDC00 || low > 0xDFFF) { malformed("unpaired surrogate", at_); }
                    point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
                }
                if (point >= 0xD800 && point <= 0xDFFF) { malformed("unpaired surrogate", at_); }
                append_utf8(out, point);
                return;
            }
            default: malformed("unknown escape", at_);
        }
    }

    std::string_view text_;
    size_t at_ = 0;
};

} // namespace

JsonWriter & JsonWriter::open(char bracket) {
    separate();
    text_ += bracket;
    comma_ = false;
    return *this;
}

JsonWriter & JsonWriter::close(char bracket) {
    text_ += bracket;
    comma_ = true;
    return *this;
}

JsonWriter & JsonWriter::raw(std::string_view token) {
    separate();
    text_ += token;
    comma_ = true;
    return *this;
}

JsonWriter & JsonWriter::key(std::string_view name) {
    separate();
    quote(name);
    text_ += ':';
    comma_ = false;
    return *this;
}

JsonWriter & JsonWriter::value(std::string_view text) {
    separate();
    quote(text);
    comma_ = true;
    return *this;
}

void JsonWriter::separate() {
    if (comma_) { text_ += ','; }
}

void JsonWriter::quote(std::string_view text) {
    text_ += '"';
    while (!text.empty()) {
        const unsigned char c = static_cast<unsigned char>(text[0]);
        const size_t length = utf8_length(text);
        if (length == 0) {
            append_utf8(text_, 0xFFFD);
            text.remove_prefix(1);
            continue;
        }
        if (c == '"' || c == '\\') {
            text_ += '\\';
            text_ += static_cast<char>(c);
        } else if (c < 0x20 || c == 0x7F) {
            char escaped[8];
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
            text_ += escaped;
        } else {
            text_ += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    text_ += '"';
}

JsonObject::JsonObject(std::string_view text) {
    Cursor cursor(text);
    if (!cursor.take('{')) { malformed("an object was expected", cursor.at()); }
    if (!cursor.take('}')) {
        do {
            cursor.skip_space();
            const std::string name = cursor.string();
            if (!cursor.take(':')) { malformed("a colon was expected", cursor.at()); }
            cursor.skip_space();
            Value value;
            if (cursor.peek() == '"') {
                value.kind = Value::Kind::string;
                value.text = cursor.string();
            } else if (cursor.take_word("true") || cursor.take_word("false")) {
                value.kind = Value::Kind::boolean;
                value.flag = text[cursor.at() - 2] == 'u';
            } else if (!cursor.take_word("null")) {
                value.kind = Value::Kind::number;
                value.number = cursor.number();
            }
            values_[name] = value;
        } while (cursor.take(','));
        if (!cursor.take('}')) { malformed("the end of the object was expected", cursor.at()); }
    }
    cursor.skip_space();
    if (!cursor.done()) { malformed("text after the object", cursor.at()); }
}

bool JsonObject::has(const std::string & name) const {
    const auto found = values_.find(name);
    return found != values_.end() && found->second.kind != Value::Kind::null;
}

std::string JsonObject::string(const std::string & name, const std::string & fallback) const {
    if (!has(name)) { return fallback; }
    const Value & value = values_.at(name);
    if (value.kind != Value::Kind::string) { throw Failure("protocol_mismatch", "\"" + name + "\" must be a string"); }
    return value.text;
}

double JsonObject::number(const std::string & name, double fallback) const {
    if (!has(name)) { return fallback; }
    const Value & value = values_.at(name);
    if (value.kind != Value::Kind::number) { throw Failure("protocol_mismatch", "\"" + name + "\" must be a number"); }
    return value.number;
}

bool JsonObject::boolean(const std::string & name, bool fallback) const {
    if (!has(name)) { return fallback; }
    const Value & value = values_.at(name);
    if (value.kind != Value::Kind::boolean) { throw Failure("protocol_mismatch", "\"" + name + "\" must be true or false"); }
    return value.flag;
}

} // namespace optio
