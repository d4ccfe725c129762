#pragma once

#include <cstdint>
#include <string_view>

#include "cli/terminal/output.h"
#include "graph/diff.h"

namespace spoor::cli {

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
