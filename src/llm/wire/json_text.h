#pragma once

#include <string>
#include <string_view>

#include "base/json/reader.h"

namespace spoor::llm::wire {

/// A JSON string that arrives in pieces. Kept as the provider wrote it, escapes and all: so the
/// joined string is its bytes, and a character whose two halves came apart is whole again.
class JsonText {
 public:
  /// Adds a piece; anything but a string is passed over.
  void append(const json::Value& piece) {
    if (!piece.is_string()) return;
    const std::string_view quoted = piece.raw();
    inside_ += quoted.substr(1, quoted.size() - 2);
  }

  bool empty() const { return inside_.empty(); }

  /// With its escapes undone.
  std::string text() const { return json::unescape(inside_); }

  /// With its quotes, as a JSON string.
  std::string raw() const { return '"' + inside_ + '"'; }

 private:
  std::string inside_;
};

}  // namespace spoor::llm::wire
