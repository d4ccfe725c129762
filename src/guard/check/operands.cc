#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/words.h"
#include "guard/check/effects_reader.h"

namespace spoor::guard::check {
namespace {

constexpr int kMostNesting = 4;

}  // namespace

// Reads `cp a b`, `mv a b dir`, `ln -s a b`, `scp a host:b`.
void EffectsReader::read_moved(const Program& row, const Options& given, bool is_deep) {
  std::vector<Word> from = given.operands;
  std::vector<Word> targets;
  for (const Option& option : given.options) {
    if (option.name == "-t" || option.name == "--target-directory") {
      targets.push_back(option.value);
    }
  }
  const bool has_into = !targets.empty();
  if (row.kind == "install" && given.has("-d")) return add_all(from, Reach::itself);
  if (!has_into && from.size() > 1) {
    targets.push_back(from.back());
    from.pop_back();
  } else if (!has_into && row.operands == Operands::link) {
    targets.push_back({"."});
  }
  for (const Word& source : from) {
    if (row.operands == Operands::move) add(source, Reach::beneath);
    if (row.operands == Operands::link) add(source, Reach::named);
    if (row.operands == Operands::copy) add_remote_path(source);
  }
  for (const Word& target : targets) {
    if (row.operands == Operands::copy && add_remote_path(target)) continue;
    const bool is_here = target.text == "." || target.text == "./";
    if (!is_here) add(target, is_deep ? Reach::some : Reach::itself);
    // If it is a folder, the files are put into it.
    const bool is_folder = is_here || target.text.ends_with('/') || has_into || from.size() > 1 ||
                           target.text.ends_with("..");
    for (const Word& source : from) {
      if (is_folder) add_in(target, source, is_deep ? Reach::some : Reach::itself);
    }
  }
}

// Reads `host:path`. Returns false for a path of this machine.
bool EffectsReader::add_remote_path(const Word& word) {
  if (has_scheme(word.text)) {
    add_address(word);
    return true;
  }
  if (!word.is_certain && word.text.find('$') == 0) {
    to_.hosts.push_back({"", "", word.text});
    return false;
  }
  const std::size_t colon = word.text.find(':');
  const bool is_path = colon == std::string::npos || colon == 0 || word.text.find('/') < colon;
  if (is_path) return false;
  to_.hosts.push_back(host_of_authority(std::string_view(word.text).substr(0, colon), word.text));
  return true;
}

void EffectsReader::read_remotes(const std::vector<Word>& operands) {
  for (const Word& word : operands) {
    // `ext::sh -c …`: git runs the text after `ext::`.
    if (word.text.find("::") != std::string::npos) {
      unknown(fmt::format("it is unclear how '{}' is reached", word.text));
    }
    add_remote_path(word);
  }
}

void EffectsReader::read_file(const Program& row, const Options& given) {
  const bool is_shell =
      row.kind == "sh" || row.kind == "bash";  // dash, ksh and zsh are in their rows.
  if (is_shell && given.has("-c")) return;
  if (given.has("-m") && row.kind == "python") return read_module();
  if (!given.operands.empty()) return add_run(given.operands.front());
  const bool has_code =
      std::any_of(given.options.begin(), given.options.end(), [](const Option& option) {
        return option.role == Role::code || option.role == Role::run || option.role == Role::edit;
      });
  constexpr std::array kShowingByV = {"node", "ruby", "php", "lua"};
  const bool only_shows = given.has("--version") || given.has("-V") || given.has("--help") ||
                          (given.has("-v") && is_in(kShowingByV, row.kind));
  if (has_code || only_shows) return;
  if (row.kind == "node" && given.has("--test")) return read_project(row, {});
  const bool is_read =
      is_shell && command_.is_input_known && !command_.input.empty() && command_.redirects.empty();
  if (!is_read) unknown(fmt::format("it is unclear which script '{}' reads", row.name));
}

// Reads `python -m pytest`: a program with that name.
void EffectsReader::read_module() {
  Command module = command_;
  module.redirects.clear();
  module.assigned.clear();
  for (std::size_t i = 0; i < command_.words.size(); ++i) {
    if (command_.words[i].text != "-m" || i + 1 >= command_.words.size()) continue;
    module.path = module.program = command_.words[i + 1].text;
    module.words.assign(command_.words.begin() + static_cast<std::ptrdiff_t>(i) + 2,
                        command_.words.end());
    if (nesting_ < kMostNesting && module.program.find('/') == std::string::npos) {
      return EffectsReader(module, to_, nesting_ + 1).read();
    }
  }
  unknown("it is unclear which module 'python -m' runs");
}

// Reads `make CC=…`: an unknown variable may be a command. Files elsewhere are not part of the
// project.
void EffectsReader::read_project(const Program& row, const std::vector<Word>& operands) {
  if (!folder_.empty()) to_.runs.push_back({".", folder_});
  for (const Word& word : operands) {
    const bool is_set = is_assignment(word.text) && row.kind == "make";
    if (is_set && !is_known_setting(row, word.text)) {
      unknown(fmt::format("it is unclear what '{}' makes '{}' run", word.text, row.name));
    }
  }
  for (const Word& word : command_.words) {
    const std::size_t equals = word.text.starts_with('-') ? word.text.find('=') : word.text.npos;
    const Word path{word.text.substr(equals == word.text.npos ? 0 : equals + 1), word.is_certain};
    const bool is_away = path.text.starts_with('/') || path.text.starts_with('~') ||
                         path.text.starts_with("..") || has_scheme(path.text);
    if (is_away) add_run(path);
    // `--config={…}`: the settings themselves, in place of a file of the project.
    const bool has_settings =
        path.text.starts_with('{') && path.text.find(':') != std::string::npos;
    if (has_settings) {
      unknown(fmt::format("it is unclear what '{}' makes '{}' run", path.text, row.name));
    }
    // `groupId:artifactId:version:goal`
    const bool is_fetched = row.kind == "mvn" && !word.text.starts_with('-') &&
                            std::count(word.text.begin(), word.text.end(), ':') > 1;
    if (is_fetched) {
      unknown(fmt::format("it is unclear what '{}' fetches and runs", word.text));
    }
  }
}

void EffectsReader::read_packages(const Program& row, const std::vector<Word>& operands) {
  // Package managers that run scripts of the folder in which they install.
  constexpr std::array<std::string_view, 5> kOfFolders = {"npm", "pnpm", "bun", "composer",
                                                          "poetry"};
  const bool runs_scripts = is_in(kOfFolders, row.kind.substr(0, row.kind.find(' ')));
  if (runs_scripts && !folder_.empty()) to_.runs.push_back({".", folder_});
  // `vendor/package:^1.0` is a name for composer.
  const bool is_composer = row.kind.starts_with("composer ");
  for (const Word& word : operands) {
    const std::string text = is_composer && !has_scheme(word.text)
                                 ? word.text.substr(0, word.text.find(':'))
                                 : word.text;
    const bool is_address = has_scheme(text) || text.find(':') != std::string::npos;
    if (has_scheme(text))
      add_address({text.substr(text.find_first_not_of('+') == 0 ? 0 : 1), word.is_certain});
    const bool is_away = text.starts_with('/') || text.starts_with('~') ||
                         text.starts_with("../") || text.find("/../") != std::string::npos ||
                         text == ".." || text.ends_with("/..") || !word.is_certain;
    // For npm, `user/repository` is on GitHub.
    const bool is_scoped = text.starts_with('@') || text.starts_with('.') || is_composer;
    const bool is_odd = text.find('/') != std::string::npos && !is_scoped &&
                        row.kind.find("pip") == std::string::npos && !row.kind.starts_with("go ");
    const bool is_file = text.ends_with(".deb") || text.ends_with(".whl") ||
                         text.ends_with(".tgz") || text.ends_with(".gem") ||
                         text.ends_with(".gz") || text.ends_with(".zip");
    if (is_address || is_away || is_odd || is_file) {
      unknown(fmt::format("it is unclear what '{}' installs and runs with '{}'", row.name, text));
    }
    // A Go module is named by its address.
    const bool is_module = row.kind.starts_with("go ") && !text.starts_with('.') &&
                           text.find('.') < text.find('/') && text.find('/') != text.npos;
    if (is_module) add_address(word);
  }
}

// Reads sed, awk, perl: a script, and files that `-i` makes it write.
void EffectsReader::read_filter(const Program& row, const Options& given) {
  bool has_code = false;
  bool edits = false;
  for (const Option& option : given.options) {
    has_code = has_code || option.role == Role::code || option.role == Role::file;
    edits = edits || option.role == Role::edit;
  }
  std::vector<Word> files = given.operands;
  // `sed -i '' s/a/b/ f`, the BSD form.
  if (edits && !files.empty() && files.front().text.empty()) files.erase(files.begin());
  const bool only_shows = given.has("--version") || given.has("--help");
  if (!has_code && files.empty()) {
    if (!only_shows) unknown(fmt::format("it is unclear which code '{}' runs", row.name));
    return;
  }
  if (!has_code) {
    // For perl it is a file.
    if (row.kind == "perl") {
      add_run(files.front());
    } else {
      read_code(row, files.front());
    }
    files.erase(files.begin());
  }
  if (edits) add_all(files, Reach::itself);
}

}  // namespace spoor::guard::check
