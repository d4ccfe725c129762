#include "agent/project/agents_md.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "agent/builtin/file_text.h"
#include "agent/builtin/folder_walk.h"
#include "agent/builtin/kept_output.h"
#include "agent/builtin/root.h"

namespace spoor::agent::project {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAgentsFile = "AGENTS.md";
constexpr std::size_t kMostBelow = 50;       // Files in folders below that are named.
constexpr std::size_t kMostLooked = 20'000;  // Entries that are looked at for them.
constexpr std::size_t kDepth = 4;

const builtin::Deadline kNoLimit({}, std::chrono::milliseconds(0));

// The folders from that with `.git` down to `root`; `root` alone without one.
std::vector<fs::path> folders_to(const fs::path& root) {
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (fs::path folder = root;; folder = folder.parent_path()) {
    folders.insert(folders.begin(), folder);
    if (fs::exists(folder / ".git", ignored)) return folders;
    if (folder == folder.parent_path()) return {root};
  }
}

// Names the files in folders below.
Result<std::vector<std::string>> find_below(const builtin::Root& root) {
  using builtin::Entry;
  std::vector<std::string> found;
  std::size_t looked = 0;
  TRY(builtin::walk_folder(TRY(root.folder(".")), "", kNoLimit, [&](const Entry& entry) {
    if (++looked > kMostLooked || found.size() == kMostBelow) return Entry::Step::end;
    if (entry.depth > 1 && entry.name == kAgentsFile && entry.kind == Entry::Kind::file) {
      found.emplace_back(entry.path);
    }
    const bool is_outside = entry.name.starts_with('.') || entry.name == "node_modules";
    return is_outside || entry.depth >= kDepth ? Entry::Step::skip : Entry::Step::go_on;
  }));
  return found;
}

}  // namespace

Result<AgentsMd> read_agents_md(const std::string& given) {
  const fs::path root = fs::path(given).lexically_normal();
  const std::vector<fs::path> folders = folders_to(root);
  const builtin::Root outermost = TRY(builtin::Root::open(folders.front().string()));
  AgentsMd read;
  for (const fs::path& folder : folders) {
    const fs::path path = (folder / kAgentsFile).lexically_relative(folders.front());
    const auto file = outermost.file(path.string());
    if (!file) continue;  // There is none, or it leads out.
    const std::size_t room = kMostAgentsMd - std::min(kMostAgentsMd, read.text.size());
    const std::string bytes = TRY(builtin::read_bytes(*file, room + 4, kNoLimit));
    const std::string_view shown = builtin::beginning_of(bytes, room);
    read.is_cut = read.is_cut || shown.size() < bytes.size();
    if (shown.empty()) continue;
    read.text += fmt::format("{}Instructions of the project, from {}:\n\n{}\n",
                             read.text.empty() ? "" : "\n", path.string(), shown);
    read.paths.push_back((folder / kAgentsFile).string());
  }
  const builtin::Root nearest = TRY(builtin::Root::open(root.string()));
  const std::vector<std::string> below = TRY(find_below(nearest));
  if (!below.empty()) {
    read.text += "\nRead these before you change anything in their folders:\n";
    for (const std::string& path : below) {
      read.text += fmt::format("- {}\n", builtin::shown_path(path));
    }
  }
  return read;
}

}  // namespace spoor::agent::project
