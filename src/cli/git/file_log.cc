#include "cli/git/file_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "cli/recording/child.h"

namespace spoor::cli::git {
namespace {

constexpr std::int64_t kMicrosOfSecond = 1'000'000;
constexpr std::int64_t kDay = 86'400;
constexpr std::size_t kMostNames = 100;

// Settings of a repository that would run a program, or connect to another host.
constexpr std::array kSafe = {
    "core.fsmonitor=false",    "core.hooksPath=/dev/null", "core.pager=cat",
    "log.showSignature=false", "protocol.allow=never",     "diff.external=",
    "core.quotePath=false",    "log.follow=false",
};

std::vector<std::string> safe_environment() {
  std::vector<std::string> variables = environment_with({
      {"GIT_CONFIG_NOSYSTEM", "1"},
      {"GIT_ATTR_NOSYSTEM", "1"},
      {"GIT_TERMINAL_PROMPT", "0"},
      {"GIT_OPTIONAL_LOCKS", "0"},
      {"GIT_NO_LAZY_FETCH", "1"},
      {"GIT_SSH_COMMAND", "false"},
      {"GIT_NO_REPLACE_OBJECTS", "1"},
      {"LC_ALL", "C"},
  });
  // Within a hook of git, these name another repository or index.
  std::erase_if(variables, [](const std::string& variable) {
    constexpr std::array<std::string_view, 8> kOthers = {"GIT_DIR=",
                                                         "GIT_WORK_TREE=",
                                                         "GIT_INDEX_FILE=",
                                                         "GIT_OBJECT_DIRECTORY=",
                                                         "GIT_ALTERNATE_OBJECT_DIRECTORIES=",
                                                         "GIT_CONFIG",
                                                         "GIT_EXTERNAL_DIFF=",
                                                         "GIT_TRACE"};
    const bool is_ours = variable == "GIT_CONFIG_NOSYSTEM=1";
    return !is_ours && std::ranges::any_of(kOthers, [&](std::string_view other) {
      return variable.starts_with(other);
    });
  });
  return variables;
}

// The parts of a text between ends.
std::vector<std::string_view> parts_of(std::string&&, char) = delete;  // The parts are of it.
std::vector<std::string_view> parts_of(std::string_view text, char end) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find(end), text.size());
    parts.push_back(text.substr(0, at));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
  return parts;
}

std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void add_name(FileLog& log, std::string_view name) {
  if (std::ranges::find(log.names, name) == log.names.end()) log.names.emplace_back(name);
}

// Sorts parents before children; commits without such an order by time.
void sort_commits(std::vector<FileCommit>& commits,
                  const std::unordered_map<std::string, std::vector<std::string>>& parents) {
  std::unordered_map<std::string, FileCommit*> known;
  for (FileCommit& commit : commits) known.emplace(commit.id, &commit);
  // A child whose clock was behind gets its parent's time.
  for (bool changes = true; changes;) {
    changes = false;
    for (FileCommit& commit : commits) {
      for (const std::string& parent : parents.at(commit.id)) {
        const auto found = known.find(parent);
        if (found == known.end() || found->second->time <= commit.time) continue;
        commit.time = found->second->time;
        changes = true;
      }
    }
  }
  std::ranges::reverse(commits);  // Git lists children first.
  std::ranges::stable_sort(commits, {}, &FileCommit::time);
}

}  // namespace

struct FileLogReader::GitOutput {
  bool is_good = false;
  std::string text;
};

Result<FileLogReader::GitOutput> FileLogReader::git(std::vector<std::string> words,
                                                    std::string_view input) const {
  std::vector<std::string> all = {"git", "--literal-pathspecs", "-C", folder_};
  for (const char* setting : kSafe) {
    all.emplace_back("-c");
    all.emplace_back(setting);
  }
  all.insert(all.end(), words.begin(), words.end());
  ProgramOutput done = TRY(read_program(std::move(all), safe_environment(), input));
  return GitOutput{done.status == 0, std::move(done.text)};
}

Result<FileLog> FileLogReader::names_of(const std::string& name) const {
  FileLog log{.names = {name}, .folders = {folder_}};
  if (!TRY(git({"rev-parse", "--git-dir"})).is_good) {
    return invalid(fmt::format("git cannot read the repository in '{}'", folder_),
                   fmt::format("see what it says: git -C '{}' status", folder_));
  }
  const GitOutput trees = TRY(git({"worktree", "list", "--porcelain"}));
  for (const std::string_view line : parts_of(trees.text, '\n')) {
    constexpr std::string_view kFolder = "worktree ";
    if (line.starts_with(kFolder) && line.substr(kFolder.size()) != folder_) {
      log.folders.emplace_back(line.substr(kFolder.size()));
    }
  }
  // Renames that are staged, then those of commits. Git prints R100, the old name, the new one.
  const GitOutput staged = TRY(git({"diff-index", "--cached", "--no-ext-diff", "--no-textconv",
                                    "-M", "--diff-filter=R", "--name-status", "-z", "HEAD", "--"}));
  const auto fields = parts_of(staged.text, '\0');
  for (std::size_t i = 0; i + 2 < fields.size(); i += 3) {
    if (fields[i + 2] == name) add_name(log, fields[i + 1]);
  }
  TRY(add_renames(log));
  std::erase_if(log.names, [](const std::string& each) {
    return each.find('\n') != std::string::npos;  // `cat-file --batch` takes lines.
  });
  return log;
}

// Adds the names that commits of any branch or reflog gave the file, also on lines that HEAD does
// not follow: older ones, and later ones that are no file of their own now. In as many steps as it
// takes.
Result<void> FileLogReader::add_renames(FileLog& log) const {
  const auto is_here = [&](std::string_view name) {
    std::error_code problem;
    return std::filesystem::exists(std::filesystem::path(folder_) / name, problem);
  };
  for (std::size_t from = 0; from < log.names.size() && log.names.size() < kMostNames;) {
    const std::vector<std::string> names(log.names.begin() + static_cast<std::ptrdiff_t>(from),
                                         log.names.end());
    from = log.names.size();
    std::vector<std::string> words = {
        "log",         "--all", "--reflog", "--full-history", "--no-renames", "--diff-filter=AD",
        "--format=%H", "--"};
    words.insert(words.end(), names.begin(), names.end());
    const GitOutput touched = TRY(git(std::move(words)));
    const GitOutput renamed =
        TRY(git({"diff-tree", "--stdin", "--no-commit-id", "-r", "-M", "--no-ext-diff",
                 "--no-textconv", "--diff-filter=R", "--name-status", "-z"},
                touched.text));
    const auto fields = parts_of(renamed.text, '\0');
    for (std::size_t at = 0; at + 2 < fields.size(); at += 3) {
      const std::string_view before = fields[at + 1];
      const std::string_view after = fields[at + 2];
      if (std::ranges::find(names, after) != names.end()) add_name(log, before);
      if (std::ranges::find(names, before) != names.end() && !is_here(after)) add_name(log, after);
    }
  }
  return {};
}

Result<std::vector<Text>> FileLogReader::texts(const std::vector<std::string>& commits,
                                               const std::vector<std::string>& names) const {
  std::string wanted;
  for (const std::string& commit : commits) {
    for (const std::string& name : names)
      wanted.append(commit).append(":").append(name).append("\n");
  }
  const GitOutput checked =
      TRY(git({"cat-file", "--batch-check=%(objecttype) %(objectname)"}, wanted));
  std::vector<std::string> blobs;  // For each commit its blob; empty: none.
  const auto lines = parts_of(checked.text, '\n');
  std::unordered_map<std::string, Text> known;
  std::string needed;
  for (std::size_t i = 0; i < commits.size(); ++i) {
    blobs.emplace_back();
    for (std::size_t j = 0; j < names.size(); ++j) {
      const std::size_t at = i * names.size() + j;
      constexpr std::string_view kBlob = "blob ";
      if (at >= lines.size() || !lines[at].starts_with(kBlob) || !blobs.back().empty()) continue;
      blobs.back() = lines[at].substr(kBlob.size());
      if (known.try_emplace(blobs.back()).second) needed += blobs.back() + "\n";
    }
  }
  const GitOutput read = TRY(git({"cat-file", "--batch=%(objectname) %(objectsize)"}, needed));
  std::string_view rest = read.text;
  while (!rest.empty()) {
    const std::string_view head = rest.substr(0, rest.find('\n'));
    const std::size_t blank = head.find(' ');
    if (blank == std::string_view::npos) break;
    const auto size = static_cast<std::size_t>(number_in(head.substr(blank + 1)));
    if (head.ends_with(" missing")) {
      rest.remove_prefix(std::min(head.size() + 1, rest.size()));
      continue;
    }
    if (head.size() + 1 + size > rest.size()) break;
    known[std::string(head.substr(0, blank))] =
        std::make_shared<const std::string>(rest.substr(head.size() + 1, size));
    rest.remove_prefix(std::min(head.size() + size + 2, rest.size()));
  }
  std::vector<Text> texts;
  texts.reserve(blobs.size());
  for (const std::string& blob : blobs) texts.push_back(blob.empty() ? nullptr : known[blob]);
  return texts;
}

Result<void> FileLogReader::read_commits(FileLog& log, Timestamp since) const {
  // Git stops at old commits: a day more, for clocks that differ.
  const std::int64_t second = std::max<std::int64_t>(0, since.micros / kMicrosOfSecond - kDay);
  std::vector<std::string> words = {"log",
                                    "--all",
                                    "--reflog",
                                    "HEAD",
                                    "--full-history",
                                    "--date-order",
                                    "--format=%H %ct %P",
                                    fmt::format("--since={}", second),
                                    "--"};
  words.insert(words.end(), log.names.begin(), log.names.end());
  GitOutput said = TRY(git(words));
  if (!said.is_good) {  // Without a commit, there is no HEAD.
    std::erase(words, "HEAD");
    said = TRY(git(words));
  }
  std::vector<std::string> ids;
  std::unordered_map<std::string, std::vector<std::string>> parents;
  for (const std::string_view line : parts_of(said.text, '\n')) {
    const auto fields = parts_of(line, ' ');
    if (fields.size() < 2) continue;
    log.commits.push_back(
        {std::string(fields[0]), {number_in(fields[1]) * kMicrosOfSecond}, {}, {}});
    ids.emplace_back(fields[0]);
    auto& of_this = parents[ids.back()];
    for (std::size_t i = 2; i < fields.size(); ++i) of_this.emplace_back(fields[i]);
  }
  for (const FileCommit& commit : log.commits) {
    const auto& of_this = parents[commit.id];
    ids.insert(ids.end(), of_this.begin(), of_this.end());
  }
  // The reflog: `ID HEAD@{SECONDS}`, newest first.
  const GitOutput moved = TRY(git({"log", "-g", "--date=unix", "--format=%H %gd", "HEAD", "--"}));
  for (const std::string_view line : parts_of(moved.text, '\n')) {
    const std::size_t brace = line.find('{');
    const std::size_t blank = line.find(' ');
    if (brace == std::string_view::npos || blank == std::string_view::npos) continue;
    ids.emplace_back(line.substr(0, blank));
    log.moves.push_back({ids.back(), {number_in(line.substr(brace + 1)) * kMicrosOfSecond}, {}});
    if (log.moves.back().time < since) break;
  }
  const std::vector<Text> found = TRY(texts(ids, log.names));
  std::size_t next = 0;
  for (FileCommit& commit : log.commits) commit.text = found[next++];
  for (FileCommit& commit : log.commits) {
    for (std::size_t i = 0; i < parents[commit.id].size(); ++i) {
      commit.parents.push_back(found[next++]);
    }
  }
  for (HeadMove& move : log.moves) move.text = found[next++];
  std::ranges::reverse(log.moves);
  sort_commits(log.commits, parents);
  return {};
}

}  // namespace spoor::cli::git
