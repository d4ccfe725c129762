#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spoor::agent::builtin {

/// A text after a patch.
struct Patched {
  std::string text;
  std::size_t hunks = 0;
  std::size_t moved = 0;  ///< hunks found at another line than the patch says
};

/// Applies the hunks of a unified diff to a text. The lines of a hunk that are kept or removed must
/// be in the text exactly, except for CR at their ends, after the place of the hunk before. A line
/// number only decides between several such places: without one, or at none of them, the place must
/// be unique. Lines before the first `@@`, such as the names of files, are skipped. Added lines end
/// as the lines of the text do.
///
/// Returns Code::invalid for a patch without hunks or with a line that belongs to none,
/// Code::not_found and Code::ambiguous, with the number of the hunk, if its place cannot be told.
Result<Patched> apply_patch(std::string_view text, std::string_view patch);

}  // namespace spoor::agent::builtin
