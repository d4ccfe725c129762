#pragma once

#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

/// A driver of vectors (formats.h): plays them against the library and compares what it gets with
/// what they expect.
namespace spoor::vectors {

using Json = nlohmann::json;

/// A vector that the driver cannot play: malformed, or beyond what it knows. It
/// ends this vector as failed, never as skipped.
struct BadVector : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One line for people; bytes that are not UTF-8 become U+FFFD.
inline std::string shown(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace spoor::vectors
