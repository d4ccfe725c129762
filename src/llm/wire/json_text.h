#pragma once

#include <string>
#include <string_view>

#include "base/json/reader.h"

namespace spoor::llm::wire {

/// A JSON string that arrives in pieces. Escapes are kept as the provider wrote them, so the joined
/// string has the provider's bytes, and a character split into two halves is complete again.
class JsonText {
 public:
  /// Appends a piece; ignores anything but a string.
  void append(const json::Value& piece) {
    if (!piece.is_string()) return;
    const std::string_view quoted = piece.raw();
    inside_ += quoted.substr(1, quoted.size() - 2);
  }

  bool empty() const { return inside_.empty(); }

  /// Returns the string with its escapes decoded.
  std::string text() const { return json::unescape(inside_); }

  /// Returns the JSON string with its quotes.
  std::string raw() const { return '"' + inside_ + '"'; }

 private:
  std::string inside_;
};

}  // namespace spoor::llm::wire
