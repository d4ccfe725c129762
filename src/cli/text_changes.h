#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/output.h"
#include "compile/diff.h"

namespace spoor::cli {

/// A unified diff of two texts, as `diff -u` writes it, without the `---` and
/// `+++` lines: hunks with three lines of context. Empty when they are equal.
struct UnifiedLine {
  char kind = ' ';  ///< ' ', '-', '+', '@' or '\\'
  std::string text;

  bool operator==(const UnifiedLine&) const = default;
};
std::vector<UnifiedLine> unified_diff(std::string_view before, std::string_view after);

/// Both texts in one, words that went and words that came marked: by colour, or
/// as `[-went-]{+came+}` where there is none. Lines far from a change are left
/// out. Every line begins with `indent`.
void print_word_diff(Output& out, std::string_view before, std::string_view after,
                     std::string_view indent);

/// How many words went and came.
struct WordCounts {
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
};
WordCounts count_words(std::string_view before, std::string_view after);

}  // namespace spoor::cli
