#pragma once

#include <string>
#include <vector>

#include "store/result.h"

namespace spoor::import {

/// The session files that `path` stands for: itself, or every `.jsonl`, `.json`, `.traj` and
/// `.eval` file and every `.aider.chat.history.md` in the folder and below, in the order of their
/// paths' bytes. Links to folders are not followed. Code::not_found when there is nothing at
/// `path`, or no session file in the folder; Code::io.
store::Result<std::vector<std::string>> session_files(const std::string& path);

}  // namespace spoor::import
