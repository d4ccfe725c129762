#include "cli/repl/path_candidates.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace spoor::cli {

std::vector<Candidate> path_candidates(const std::string& start) {
  namespace fs = std::filesystem;
  const std::size_t slash = start.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : start.substr(0, slash + 1);
  const std::string name = start.substr(folder.size());

  std::vector<Candidate> found;
  std::error_code problem;
  fs::directory_iterator entries(folder.empty() ? "." : folder, problem);
  for (; !problem && entries != fs::directory_iterator(); entries.increment(problem)) {
    const std::string file = entries->path().filename().string();
    if (!file.starts_with(name) || (file.starts_with('.') && !name.starts_with('.'))) continue;
    std::error_code unknown;
    const bool is_folder = entries->is_directory(unknown);
    found.push_back({folder + file + (is_folder ? "/" : ""), {}});
  }
  std::sort(found.begin(), found.end(),
            [](const Candidate& a, const Candidate& b) { return a.text < b.text; });
  return found;
}

}  // namespace spoor::cli
