#pragma once

#include <functional>
#include <string>

#include "report/debrief/debrief.h"

namespace spoor::report::debrief {

struct TreeOptions {
  /// How a commit is named; empty: by its first eight digits.
  std::function<std::string(const store::Oid&)> short_id = {};
  std::size_t most = 40;  ///< entries of a section that are shown: its beginning and its end
};

/// The debrief as a tree of lines, each with its line end: what was done and why, each reason
/// beside what its call really gave, and what the record does not bear out (docs/debrief.md). Every
/// text of the run stands within one line; who shows it makes it harmless.
std::string tree_text(const Debrief& debrief, const TreeOptions& options = {});

}  // namespace spoor::report::debrief
