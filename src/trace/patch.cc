#include "trace/patch.h"

#include <algorithm>
#include <array>

namespace spoor::trace {

std::vector<std::string> files_of_patch(std::string_view patch) {
  constexpr std::array<std::string_view, 6> kMarks = {
      "*** Update File: ", "*** Add File: ", "*** Delete File: ",
      "*** Move to: ",     "rename to ",     "rename from "};
  std::vector<std::string> files;
  const auto add = [&](std::string_view path) {
    if (path.empty() || path == "/dev/null") return;
    if (std::find(files.begin(), files.end(), path) == files.end()) files.emplace_back(path);
  };
  std::string_view before;  // A `--- ` line: a header if `+++ ` follows.
  const bool is_begun = patch.starts_with("*** Begin Patch") ||
                        patch.find("\n*** Begin Patch") != std::string_view::npos;
  const bool is_git =
      patch.starts_with("diff --git ") || patch.find("\ndiff --git ") != std::string_view::npos;
  while (!patch.empty()) {
    const std::size_t end = std::min(patch.find('\n'), patch.size());
    std::string_view line = patch.substr(0, end);
    patch.remove_prefix(std::min(end + 1, patch.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    for (const std::string_view mark : kMarks) {
      const bool is_of_git = mark.front() == 'r';
      if (line.starts_with(mark) && (is_of_git ? is_git : is_begun)) add(line.substr(mark.size()));
    }
    if (line.starts_with("+++ ") && !before.empty()) {
      for (std::string_view side : {before, line}) {
        side.remove_prefix(4);
        side = side.substr(0, side.find('\t'));
        if (side.starts_with("a/") || side.starts_with("b/")) side.remove_prefix(2);
        add(side);
      }
    }
    before = line.starts_with("--- ") ? line : std::string_view();
  }
  return files;
}

}  // namespace spoor::trace
