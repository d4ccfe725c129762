#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace spoor {

/// Returns whether a character is invisible in every context, or reorders its line: zero-width
/// characters, soft hyphens, bidi controls, line and paragraph separators, Hangul fillers,
/// annotation marks, tag characters, and the variation selectors after the sixteenth. Covers
/// Default_Ignorable_Code_Point of Unicode 14.0 except the joiners and the first sixteen selectors.
bool is_hidden(char32_t code);

/// Returns whether `code` is a tag character, U+E0000 to U+E007F. Minus U+E0000 it is an ASCII
/// character, so a run of them is an invisible text.
constexpr bool is_tag_character(char32_t code) { return code >= 0xe0000 && code <= 0xe007f; }

/// Finds the characters of a text that a view must not print unchanged, one code point at a time.
/// These are hidden:
///
/// - every character for which is_hidden() is true;
/// - a zero-width joiner or non-joiner (U+200C, U+200D), except directly after a letter or mark of
///   a script that uses them (Arabic, Syriac, the scripts of India, and similar), and except a
///   joiner between two pictographs;
/// - a variation selector (U+FE00 to U+FE0F), except one of the last two after a pictograph, a
///   digit, `#` or `*`;
/// - combining marks after the eighth on one base; an unassigned character, which may be one,
/// counts
///   as such.
///
/// A character that is not hidden stays so after hidden ones were replaced by ASCII.
class HiddenText {
 public:
  static constexpr int kMostMarks = 8;

  /// Takes the next code point and returns whether it is hidden. `rest` is the text after it.
  bool take(char32_t code, std::string_view rest);

 private:
  bool hide(int marks);

  char32_t base_ = 0;  // The last character with a width; 0: none.
  int marks_ = 0;      // On base_.
  bool has_joiner_ = false;
  bool has_selector_ = false;
};

/// The amount of hidden text.
struct HiddenCount {
  std::uint64_t characters = 0;
  std::uint64_t tags = 0;         ///< tag characters among them
  std::uint64_t longest_run = 0;  ///< the longest run of hidden characters

  bool operator==(const HiddenCount&) const = default;
};

/// Counts the characters that HiddenText hides.
HiddenCount count_hidden(std::string_view text);

}  // namespace spoor
