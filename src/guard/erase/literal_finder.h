#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::guard {

/// Searches for texts inside other bytes: plain, with lines that end in LF or in CR LF; with JSON
/// escapes (several levels deep, as in JSON inside a JSON string); and in base64 (RFC 4648, either
/// alphabet, in one piece or broken into lines, which may be indented).
///
/// Safe to search from any thread once everything is added.
class LiteralFinder {
 public:
  /// The minimum length, in bytes, without white space at the ends. Shorter texts would be found by
  /// chance.
  static constexpr std::size_t kLeast = 12;

  /// The minimum length for a search in base64, where a few letters would match by chance.
  static constexpr std::size_t kLeastCoded = 9;

  /// Adds a text to search for; false if it is shorter than `least`.
  bool add(std::string_view text, std::size_t least = kLeast);

  bool empty() const { return plain_.empty(); }

  /// Returns true if `bytes` contains one of the texts.
  bool is_in(std::string_view bytes) const;

 private:
  bool is_in_this(std::string_view bytes) const;
  bool is_in_base64(std::string_view bytes) const;

  std::vector<std::string> plain_;  // Lines end in LF.
  std::vector<std::string> coded_;  // The base64 characters that depend only on the text.
  std::size_t shortest_ = 0;        // Of coded_.
};

}  // namespace spoor::guard
