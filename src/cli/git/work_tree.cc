#include "cli/git/work_tree.h"

#include <filesystem>
#include <system_error>

#include "base/files.h"

namespace spoor::cli::git {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 4'096;  // Limit for a file with one line.

// Returns the rest of a small file's first line after `prefix`; empty if the prefix differs.
std::string said_in(const fs::path& path, std::string_view prefix) {
  std::error_code problem;
  const bool is_small =
      fs::is_regular_file(path, problem) && fs::file_size(path, problem) <= kMostBytes && !problem;
  if (!is_small) return {};
  const auto bytes = read_file(path.string());
  if (!bytes || !*bytes || !(*bytes)->starts_with(prefix)) return {};
  const std::string line = (*bytes)->substr(prefix.size());
  return line.substr(0, line.find_first_of("\r\n"));
}

std::string branch_in(const fs::path& repository) {
  const std::string branch = said_in(repository / "HEAD", "ref: refs/heads/");
  return branch == ".invalid" ? "" : branch;  // HEAD of a repository with a reftable.
}

}  // namespace

std::optional<WorkTree> find_work_tree(const std::string& folder) {
  fs::path at = fs::path(folder).lexically_normal();
  if (!at.has_filename()) at = at.parent_path();  // `/a/b/`
  while (true) {
    std::error_code problem;
    const fs::path git = at / ".git";
    if (fs::is_directory(git, problem)) return WorkTree{at.string(), branch_in(git)};
    if (const std::string elsewhere = said_in(git, "gitdir: "); !elsewhere.empty()) {
      return WorkTree{at.string(), branch_in(at / elsewhere)};
    }
    if (!at.has_relative_path()) return std::nullopt;
    at = at.parent_path();
  }
}

}  // namespace spoor::cli::git
