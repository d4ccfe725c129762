#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "store/result.h"

namespace spoor::agent::builtin {

/// A regular expression of bytes that takes time in proportion to text times pattern, whatever both
/// are: all ways to match are followed at once (K. Thompson, "Regular Expression Search Algorithm",
/// 1968), none is ever gone back to.
///
///   . [a-z] [^a-z] \d \w \s \D \W \S \t \n \r     one byte (of UTF-8 beyond ASCII: several)
///   ^ $ \b \B                                     ends of the text, borders of words
///   (a) (?:a) a|b a* a+ a? a{2} a{2,} a{2,5}      `?` after a repetition changes nothing here
///   \. \( …                                       the mark itself
///
/// No back-references, no looking around. Immutable; safe to use from any thread.
class Regex {
 public:
  /// Code::invalid, with the reason, for what is no expression, or too large when written out.
  static store::Result<Regex> parse(std::string_view pattern, bool ignore_case = false);

  /// Memory that searches share.
  class Room {
    friend class Regex;
    std::vector<std::uint32_t> now, next, waiting;
    std::vector<std::size_t> seen;  // Per instruction: the step at which it was last met.
    std::size_t step = 0;
  };

  /// Where the match that ends first ends; npos: nothing matches.
  std::size_t find_end(std::string_view text, Room& room) const;

  static constexpr std::size_t npos = std::string_view::npos;
  static constexpr std::size_t kMostInstructions = 10'000;

  using Bytes = std::bitset<256>;

  /// What the expression becomes. For regex.cc.
  struct Instruction {
    enum class Kind : std::uint8_t { bytes, split, jump, begin, end, border, no_border, match };
    Kind kind = Kind::match;
    std::uint32_t to = 0;    ///< jump, split; bytes: which of `sets`
    std::uint32_t also = 0;  ///< split
  };

 private:
  void add(std::uint32_t first, std::string_view text, std::size_t at,
           std::vector<std::uint32_t>& list, Room& room, bool& is_match) const;
  void find_first_bytes();

  std::vector<Instruction> program_;
  std::vector<Bytes> sets_;
  Bytes first_;             // What a match can begin with.
  bool has_first_ = false;  // False: also with nothing, or it depends on what is around.
};

}  // namespace spoor::agent::builtin
