#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace optio {

// Writes one JSON object or array at a time. Text that is not valid UTF-8 is written with U+FFFD in place of the bad bytes.
class JsonWriter {
  public:
    JsonWriter & begin_object() { return open('{'); }
    JsonWriter & end_object() { return close('}'); }
    JsonWriter & begin_array() { return open('['); }
    JsonWriter & end_array() { return close(']'); }
    JsonWriter & key(std::string_view name);
    JsonWriter & value(std::string_view text);
    JsonWriter & value(const char * text) { return value(std::string_view(text)); }
    JsonWriter & value(bool flag) { return raw(flag ? "true" : "false"); }
    JsonWriter & value(int32_t number) { return raw(std::to_string(number)); }
    JsonWriter & value(uint32_t number) { return raw(std::to_string(number)); }
    JsonWriter & value(int64_t number) { return raw(std::to_string(number)); }
    JsonWriter & value(uint64_t number) { return raw(std::to_string(number)); }

    template <typename T> JsonWriter & field(std::string_view name, const T & v) { return key(name).value(v); }

    const std::string & text() const { return text_; }

  private:
    JsonWriter & open(char bracket);
    JsonWriter & close(char bracket);
    JsonWriter & raw(std::string_view token);
    void separate();
    void quote(std::string_view text);

    std::string text_;
    bool comma_ = false;
};

// One flat JSON object of strings, numbers, booleans and nulls: the parameters of "load".
class JsonObject {
  public:
    // Throws Failure "protocol_mismatch" on anything else.
    explicit JsonObject(std::string_view text);

    bool has(const std::string & name) const;
    std::string string(const std::string & name, const std::string & fallback) const;
    double number(const std::string & name, double fallback) const;
    bool boolean(const std::string & name, bool fallback) const;

  private:
    struct Value {
        enum class Kind { null, boolean, number, string } kind = Kind::null;
        std::string text;
        double number = 0;
        bool flag = false;
    };

    std::map<std::string, Value> values_;
};

} // namespace optio
