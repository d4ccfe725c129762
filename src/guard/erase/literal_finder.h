#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::guard {

/// Looks for texts inside other bytes: as they are, with lines that end in LF or in CR LF, under
/// the escapes of JSON (several deep, as JSON in a string of JSON has them), and within base64 (RFC
/// 4648, either alphabet, in one piece or broken into lines, which may be indented).
///
/// Safe to ask from any thread once everything is added.
class LiteralFinder {
 public:
  /// A shorter text would be found where nobody said it. In bytes, white space at the ends apart.
  static constexpr std::size_t kLeast = 12;

  /// Texts shorter than this are not looked for in base64, where a few letters tell nothing.
  static constexpr std::size_t kLeastCoded = 9;

  /// A text to look for; false when it is too short for that, which `least` says.
  bool add(std::string_view text, std::size_t least = kLeast);

  bool empty() const { return plain_.empty(); }

  /// Is one of the texts in there?
  bool is_in(std::string_view bytes) const;

 private:
  bool is_in_this(std::string_view bytes) const;
  bool is_in_base64(std::string_view bytes) const;

  std::vector<std::string> plain_;  // Lines end in LF.
  std::vector<std::string> coded_;  // The characters of base64 that the text alone decides.
  std::size_t shortest_ = 0;        // Of those.
};

}  // namespace spoor::guard
