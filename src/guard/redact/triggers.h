#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "guard/redact/rule.h"

namespace spoor::guard {

/// Finds the keywords of all rules in one pass over a text (Aho and Corasick, 1975), so that a text
/// without keywords costs one table look-up per byte. Letters match in either case; `\d` in a
/// keyword, and any digit in one, matches any digit. The start of a text counts as the start of a
/// line: a `\n` at the front of a keyword matches there too. Immutable: safe to use from any
/// thread.
class Triggers {
 public:
  struct Hit {
    std::size_t rule = 0;   ///< position in the list of rules
    std::size_t begin = 0;  ///< of the keyword
    std::size_t end = 0;
  };

  explicit Triggers(const std::vector<Rule>& rules);

  /// Appends every keyword in `text`, in no order.
  void find(std::string_view text, std::vector<Hit>& hits) const;

  /// Returns the rules that are tried on every text: those without keywords.
  const std::vector<std::size_t>& always() const { return always_; }

 private:
  template <std::size_t kChains>
  void find_in_chains(std::string_view text, std::vector<Hit>& hits) const;
  void add_hits(std::uint32_t row, std::size_t last, std::vector<Hit>& hits) const;

  struct Keyword {
    std::size_t rule = 0;
    std::size_t length = 0;
  };

  std::array<std::uint8_t, 256> symbols_{};
  std::size_t width_ = 1;            // Symbols; the length of a row.
  std::vector<std::uint32_t> next_;  // Rows in sequence: the offset of the next row.
  std::uint32_t first_ = 0;          // The state at the start of a text: after a line's end.
  std::size_t longest_ = 1;          // Bytes of the longest keyword.
  std::uint32_t first_hit_ = 0;      // Rows from here on end keywords.
  std::vector<std::vector<Keyword>> endings_;  // The keywords of each such row.
  std::vector<std::size_t> always_;
};

}  // namespace spoor::guard
