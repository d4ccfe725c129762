#include "agent/builtin/git_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/text.h"
#include "base/words.h"

namespace spoor::agent::builtin {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 256 * 1024;  // Per settings file; git's have a few hundred.
constexpr std::size_t kMostFiles = 64;          // Settings files, including included ones.

// Settings whose value is a command, by the last part of the name.
constexpr std::array<std::string_view, 15> kCommands = {
    "fsmonitor", "sshcommand", "editor", "pager",   "askpass",  "program", "external", "clean",
    "smudge",    "process",    "driver", "command", "textconv", "helper",  "cmd"};

bool is_there(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0;
}

// Reports whether a folder that `has` these names is a repository.
template <class Has>
bool is_repository(const Has& has) {
  return has("HEAD") && ((has("objects") && has("refs")) || has("commondir"));
}

std::string beginning_of_file(const fs::path& path) {
  std::error_code problem;
  if (!fs::is_regular_file(path, problem)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kMostBytes, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

// Reads the settings of one file in order (git-config(1), "Syntax"). Lenient: reads the valid part
// of a line that git would refuse.
class ConfigReader {
 public:
  struct Setting {
    std::string section;  // In lower case, without a subsection.
    std::string name;     // In lower case.
    std::string value;
  };

  explicit ConfigReader(std::string_view text) : text_(text) {}

  std::vector<Setting> read() {
    std::vector<Setting> all;
    std::string section;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#' || c == ';') {
        skip_line();
      } else if (c == '[') {
        section = read_section();
      } else if (is_blank(c) || c == '\n') {
        ++at_;
      } else {
        std::string name = read_name();
        all.push_back({section, std::move(name), read_value()});
      }
    }
    return all;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  std::string read_section() {
    const std::size_t begin = ++at_;
    bool is_quoted = false;
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\' && is_quoted) {
        ++at_;
      } else if (text_[at_] == '"') {
        is_quoted = !is_quoted;
      } else if (text_[at_] == ']' && !is_quoted) {
        break;
      }
    }
    const std::size_t end = std::min(at_, text_.size());
    at_ = std::min(end + 1, text_.size());
    const std::string_view inside = text_.substr(begin, end - begin);
    return lowered(inside.substr(0, inside.find_first_of(" \t.\"")));
  }

  std::string read_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '=' && text_[at_] != '\n') ++at_;
    return lowered(trimmed(text_.substr(begin, at_ - begin)));
  }

  std::string read_value() {
    if (at_ == text_.size() || text_[at_] != '=') return {};
    std::string value;
    bool is_quoted = false;
    for (++at_; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == '\n') break;
      if (!is_quoted && (c == '#' || c == ';')) {
        skip_line();
        break;
      }
      if (c == '"') {
        is_quoted = !is_quoted;
        continue;
      }
      if (c == '\\' && at_ + 1 < text_.size()) {
        c = text_[++at_];
        if (c == '\n') continue;
        if (c == 't') c = '\t';
        if (c == 'n') c = '\n';
      }
      value += c;
    }
    return std::string(trimmed(value));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Returns git's folder for a folder with `.git` in it, which may be a file with the path.
fs::path git_folder_of(const fs::path& folder) {
  std::error_code problem;
  const fs::path inner = folder / ".git";
  if (fs::is_regular_file(inner, problem)) {
    const std::string text = beginning_of_file(inner);
    constexpr std::string_view kLeads = "gitdir:";
    if (!text.starts_with(kLeads)) return {};
    return folder / trimmed(std::string_view(text).substr(kLeads.size()));
  }
  return is_there(inner.string()) ? inner : is_git_folder(folder.string()) ? folder : fs::path();
}

class PathFinder {
 public:
  explicit PathFinder(fs::path folder) : folder_(std::move(folder)) {}

  void read(const fs::path& file) {
    if (read_.size() == kMostFiles || !read_.insert(file).second) return;
    const std::string text = beginning_of_file(file);
    for (const auto& [section, name, value] : ConfigReader(text).read()) {
      if (value.empty()) continue;
      if (section == "core" && name == "hookspath") {
        add(folder_, value);
      } else if ((section == "include" || section == "includeif") && name == "path") {
        const fs::path included = add(file.parent_path(), value);
        if (!included.empty()) read(included);
      } else if (is_in(kCommands, name) || section == "alias") {
        add_program(value);
      }
    }
  }

  std::vector<std::string> take() { return std::move(paths_); }

 private:
  fs::path add(const fs::path& base, const std::string& path) {
    std::error_code problem;
    if (path.starts_with('~')) return {};
    fs::path real = fs::weakly_canonical(base / path, problem);
    if (problem) return {};
    if (!real.has_filename()) real = real.parent_path();
    paths_.push_back(real.string());
    return real;
  }

  // Adds `./tools/sign --now`, `!tools/x`; ignores a word without a slash, which PATH resolves.
  void add_program(std::string_view command) {
    if (command.starts_with('!')) command.remove_prefix(1);
    const std::string word(command.substr(0, command.find_first_of(" \t;|&")));
    if (word.find('/') != std::string::npos) add(folder_, word);
  }

  fs::path folder_;
  std::set<fs::path> read_;
  std::vector<std::string> paths_;
};

}  // namespace

bool is_git_folder(const std::string& folder) {
  return is_repository([&](const char* name) { return is_there(folder + '/' + name); });
}

bool makes_git_folder(const std::string& folder, std::string_view name) {
  constexpr std::array<std::string_view, 4> kParts = {"head", "objects", "refs", "commondir"};
  const std::string small = lowered(name);
  return is_in(kParts, small) && is_repository([&](const char* wanted) {
           return small == lowered(wanted) || is_there(folder + '/' + wanted);
         });
}

std::vector<std::string> paths_git_runs(const std::string& folder) {
  const fs::path own = git_folder_of(folder);
  if (own.empty()) return {};
  fs::path common = own;
  const std::string named = beginning_of_file(own / "commondir");
  if (const auto text = trimmed(named); !text.empty()) common = own / text;
  PathFinder finder(folder);
  finder.read(common / "config");
  finder.read(own / "config.worktree");
  return finder.take();
}

}  // namespace spoor::agent::builtin
