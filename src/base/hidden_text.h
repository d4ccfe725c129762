#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace spoor {

/// Is this a character that shows nothing, wherever it stands, or reorders the line that it is on?
/// Zero-width characters, soft hyphens, bidi controls, line and paragraph separators, Hangul
/// fillers, marks of annotations, tag characters, and the variation selectors beyond the sixteenth:
/// of Unicode 14.0's Default_Ignorable_Code_Point all but the joiners and the first selectors.
bool is_hidden(char32_t code);

/// Is this a tag character, U+E0000 to U+E007F? With U+E0000 taken off it is an ASCII character, so
/// that a run of them is a text that nobody sees.
constexpr bool is_tag_character(char32_t code) { return code >= 0xe0000 && code <= 0xe007f; }

/// Tells, one code point after another, which characters of a text a view must not print as they
/// are. These are hidden:
///
/// - whatever is_hidden() says;
/// - a zero-width joiner or non-joiner (U+200C, U+200D), but for one directly after a letter or
///   mark of a script that writes with them (Arabic, Syriac, the scripts of India, and their like),
///   and a joiner between two pictographs;
/// - a variation selector (U+FE00 to U+FE0F), but for one of the last two after a pictograph, a
///   digit, `#` or `*`;
/// - combining marks beyond the eighth on one base.
///
/// What it lets through, it lets through again after the hidden ones were replaced by ASCII.
class HiddenText {
 public:
  static constexpr int kMostMarks = 8;

  /// Takes the next code point, `rest` being what follows it. True: it is hidden.
  bool take(char32_t code, std::string_view rest);

 private:
  bool hide(int marks);

  char32_t base_ = 0;  // The last character that takes room; 0: none.
  int marks_ = 0;      // On it.
  bool has_joiner_ = false;
  bool has_selector_ = false;
};

/// How much of a text nobody sees.
struct HiddenCount {
  std::uint64_t characters = 0;
  std::uint64_t tags = 0;         ///< tag characters among them
  std::uint64_t longest_run = 0;  ///< of hidden ones directly after each other

  bool operator==(const HiddenCount&) const = default;
};

/// Counts what HiddenText calls hidden.
HiddenCount count_hidden(std::string_view text);

}  // namespace spoor
