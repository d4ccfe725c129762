#pragma once

#include <cstdint>
#include <string_view>

#include "cli/terminal/output.h"
#include "graph/diff.h"

namespace spoor::cli {

/// Prints both texts merged, with removed and added words marked: by colour, or as `[-old-]{+new+}`
/// without colour. Omits lines far from a change. Every line begins with `indent`.
void print_word_diff(Output& out, std::string_view before, std::string_view after,
                     std::string_view indent);

/// The numbers of words added and removed.
struct WordCounts {
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
};
WordCounts count_words(std::string_view before, std::string_view after);

}  // namespace spoor::cli
