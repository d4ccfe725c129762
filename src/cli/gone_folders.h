#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "api/file_history.h"
#include "cli/git/file_log.h"
#include "trace/line_writers.h"

namespace spoor::cli {

/// Returns the places of edits that may be of another project with a file of the same path: their
/// folder is gone, and no edit in it changed a version of this file, of which `text` is the present
/// one.
std::set<trace::Writer> doubtful_edits(const std::vector<api::FileEditFound>& edits,
                                       const git::FileLog& log, std::string_view text);

}  // namespace spoor::cli
