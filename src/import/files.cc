#include "import/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace spoor::import {
namespace {

namespace fs = std::filesystem;

store::Error cannot_read(const std::string& path, const std::error_code& error) {
  return store::io_error(fmt::format("cannot read '{}': {}", path, error.message()),
                         "name the folder or the files of an agent, such as ~/.claude/projects");
}

bool may_be_session(const fs::path& path) {
  if (path.filename().string().ends_with(".aider.chat.history.md")) return true;
  const fs::path extension = path.extension();
  return extension == ".jsonl" || extension == ".json" || extension == ".traj" ||
         extension == ".eval";
}

}  // namespace

store::Result<std::vector<std::string>> session_files(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return store::not_found(fmt::format("no file or folder '{}'", path));
  }
  if (error) return cannot_read(path, error);
  if (status.type() != fs::file_type::directory) return std::vector<std::string>{path};

  std::vector<std::string> files;
  fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;  // An entry that vanished meanwhile is no file.
    if (may_be_session(entry->path()) && entry->is_regular_file(ignored)) {
      files.push_back(entry->path().string());
    }
  }
  if (error) return cannot_read(path, error);
  if (files.empty()) {
    return store::not_found(fmt::format("no session file in '{}'", path),
                            "session files are called *.jsonl, *.json, *.traj, *.eval or "
                            ".aider.chat.history.md");
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace spoor::import
