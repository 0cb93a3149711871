#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace optio {

// What goes wrong in a way that the caller is told about: one of the codes of PROTOCOL.md, and details as JSON.
class Failure : public std::runtime_error {
  public:
    Failure(std::string code, const std::string & message, std::string details = "{}")
        : std::runtime_error(message), code_(std::move(code)), details_(std::move(details)) {}

    const std::string & code() const { return code_; }
    const std::string & details() const { return details_; }

  private:
    std::string code_;
    std::string details_;
};

} // namespace optio
