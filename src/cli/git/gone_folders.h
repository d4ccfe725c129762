#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "api/file_history.h"
#include "cli/git/file_log.h"
#include "trace/line_writers.h"

namespace spoor::cli {

/// Finds out whose the folders are that do not exist any more. The edits of one that was this very
/// folder, under an earlier name, get place 0. Returns those of folders that may have been another
/// project's, with a file of the same path: no edit there changed a version of this file, of which
/// `text` is the present one.
std::set<trace::Writer> settle_gone_folders(std::vector<api::FileEditFound>& edits,
                                            const git::FileLog& log, std::string_view text);

}  // namespace spoor::cli
