#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/words.h"
#include "guard/check/effects_reader.h"
#include "trace/patch.h"

namespace spoor::guard::check {
namespace {

// Returns true if `find` deletes only files that programs can make again: one of these names
// precedes the `-delete`, and is neither negated nor one of several alternatives.
bool finds_made_again(const Options& given) {
  constexpr std::array kMadeAgain = {"*.pyc",  "*.pyo", "*.o", "*.obj",     "*.class",  "*.gcda",
                                     "*.gcno", "*.swp", "*~",  ".DS_Store", "Thumbs.db"};
  const bool has_operator =
      std::any_of(given.operands.begin(), given.operands.end(),
                  [](const Word& word) { return word.text == "!" || word.text == ","; });
  if (has_operator) return false;
  bool is_named = false;
  for (const Option& option : given.options) {
    if (is_in(std::array{"-o", "-or", "-not"}, option.name)) return false;
    is_named = is_named || (option.name == "-name" && is_in(kMadeAgain, option.value.text));
    if (option.name == "-delete" && !is_named) return false;
  }
  return is_named;
}

}  // namespace

// Adds the files that `curl -O` and `wget` name after their address.
void EffectsReader::read_fetched(const Program& row, const Options& given) {
  const bool is_curl = row.kind == "curl";
  Word folder{"."};
  for (const Option& option : given.options) {
    if (option.role == Role::write_in) folder = option.value;
  }
  const bool takes_names =
      is_curl ? given.has("-O") || given.has("--remote-name")
              : !given.has("-O") && !given.has("--output-document") && !given.has("--spider");
  if (!takes_names) return;
  const bool is_many = given.has("-J") || given.has("-r") || given.has("--recursive") ||
                       given.has("--content-disposition");
  if (is_many) add(folder, Reach::some);
  for (const Word& url : given.operands) {
    const std::string path = url.text.substr(0, url.text.find_first_of("?#"));
    add_in(folder, {base_name(path), url.is_certain});
  }
}

void EffectsReader::drop_executed(std::vector<Word>& words) {
  std::vector<Word> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_in(std::array{"-exec", "-execdir", "-ok", "-okdir"}, words[i].text)) {
      kept.push_back(words[i]);
      continue;
    }
    if (words[i].text.starts_with("-ok")) unknown("it is unclear who 'find -ok' asks");
    while (i < words.size() && words[i].text != ";" && words[i].text != "+") ++i;
  }
  words = std::move(kept);
}

// Reads git checkout, restore, stash, reset: their effect on files in the working tree.
void EffectsReader::read_tree(const Program& row, const Options& given,
                              const std::vector<Word>& words) {
  const std::vector<Word>& operands = given.operands;
  const std::string verb = row.kind.substr(row.kind.find(' ') + 1);
  const auto dashes = std::find(words.begin(), words.end(), Word{"--"});
  if (verb == "restore") {
    const bool is_index =
        (given.has("-S") || given.has("--staged")) && !given.has("-W") && !given.has("--worktree");
    if (!is_index) add_all(operands, Reach::some);
  } else if (dashes != words.end()) {
    if (verb != "reset") add_all({dashes + 1, words.end()}, Reach::some);
  } else if (verb == "checkout" || verb == "switch") {
    const bool makes = given.has("-b") || given.has("-B") || given.has("-c") || given.has("-C") ||
                       given.has("--create") || given.has("--orphan");
    if (operands.size() > 1 && verb == "checkout" && !makes) {
      add_all({operands.begin() + 1, operands.end()}, Reach::some);
    } else if (!operands.empty() && !(makes && operands.size() == 1 && !given.has("--orphan"))) {
      add_some();
    }
  } else if (verb == "reset") {
    if (given.has("--hard") || given.has("--merge") || given.has("--keep")) add_some();
  } else if (verb == "stash") {
    constexpr std::array kQuiet = {"list", "show", "drop", "clear", "create"};
    if (operands.empty() || !is_in(kQuiet, operands.front().text)) add_some();
  }
}

// Handles single programs that need more than their rows.
void EffectsReader::read_own(const Program& row, const Options& given,
                             const std::vector<Word>& words) {
  const std::string& name = row.kind;
  if (name == "dd") {
    for (const Word& word : words) {
      if (word.text.starts_with("of=")) add({word.text.substr(3), word.is_certain});
    }
  } else if (name == "find") {
    read_found(given);
  } else if (name == "split" || name == "csplit") {
    const std::size_t at = name == "split" ? 1 : given.operands.size();
    const bool has_name = at < given.operands.size();
    const bool has_prefix = given.has("-f") || given.has("--prefix");
    if (!has_prefix) add_names(has_name ? given.operands[at] : Word{"x"});
  } else if (name == "read") {
    for (const Option& option : given.options) {
      if (option.name == "-a") read_variable(option.value);
    }
  } else if (name == "tar") {
    read_tar(given);
  } else if (name == "unzip") {
    const bool only_looks = given.has("-l") || given.has("-t") || given.has("-p");
    const bool has_folder = given.has("-d");
    if (!only_looks && !has_folder) add_some();
  } else if (name == "patch" || name == "git apply" || name == "apply_patch") {
    read_patch(given);
  } else if (name == "export" || name == "declare" || name == "env") {
    for (const Word& word : given.operands) {
      const bool sets = is_assignment(word.text);
      const bool is_own = name == "declare" && !given.has("-x");  // Programs do not see it.
      if (sets) read_assigned(word, is_own);
      if (!sets && is_obeyed_variable(word.text)) unknown("nobody knows what programs see then");
    }
  } else if (name == "git config" && given.operands.size() > 1 && !given.has("--get")) {
    const Word setting{given.operands[0].text + '=' + given.operands[1].text,
                       given.operands[0].is_certain && given.operands[1].is_certain};
    const Program* git = program_named("git");
    const bool is_known =
        setting.is_certain && git != nullptr && is_known_setting(*git, setting.text);
    if (!is_known) unknown(fmt::format("it is unclear what git does with '{}'", setting.text));
  } else if (name == "docker push" || name == "docker pull") {
    for (const Word& image : given.operands) {
      const std::string registry = image.text.substr(0, image.text.find('/'));
      const bool is_named =
          registry.size() < image.text.size() && registry.find_first_of(".:") != std::string::npos;
      add_address(is_named || !image.is_certain ? Word{registry, image.is_certain}
                                                : Word{"docker.io"});
    }
  } else if (name == "mail") {
    for (const Word& word : given.operands) {
      const std::size_t at = word.text.rfind('@');
      if (at != std::string::npos) add_address({word.text.substr(at + 1), word.is_certain});
    }
  }
  // git obeys the settings of the repository in which it starts.
  const bool is_git = name.starts_with("git ");
  if (is_git && !folder_.empty()) to_.runs.push_back({".", folder_});
  if (has_role(row, Role::sql) && !given.has("-c") && !given.has("-e") && !given.has("-f")) {
    const bool is_silent = command_.input.empty() && command_.is_input_known;
    if (!is_silent) read_sql({command_.input, command_.is_input_known});
  }
  for (const Word& word : words) {
    const bool may_ask = row.operands == Operands::project || row.operands == Operands::sql;
    if (may_ask && has_scheme(word.text)) add_address(word);
  }
}

void EffectsReader::read_found(const Options& given) {
  if (!given.has("-delete")) return;
  const Reach reach = finds_made_again(given) ? Reach::made : Reach::some;
  const std::vector<Word> starts = starts_of_find(command_.words);
  add_all(starts.empty() ? std::vector<Word>{{"."}} : starts, reach);
}

void EffectsReader::read_tar(const Options& given) {
  const bool extracts = given.has("-x") || given.has("--extract") || given.has("--get");
  const bool has_folder = given.has("-C") || given.has("--directory");
  if (extracts && !has_folder && !given.has("-O") && !given.has("--to-stdout")) add_some();
  for (const Option& option : given.options) {
    const bool is_folder = option.name == "-C" || option.name == "--directory";
    if (is_folder && extracts) add(option.value, Reach::some);
    if (option.name != "-f" && option.name != "--file") continue;
    const bool reads = extracts || given.has("-t") || given.has("--list");
    const std::size_t colon = option.value.text.find(':');
    if (colon < option.value.text.find('/')) {
      unknown("it is unclear how 'tar' reaches another machine");
    }
    if (!reads) add(option.value);
  }
}

void EffectsReader::read_patch(const Options& given) {
  const bool only_looks = given.has("--check") || given.has("--stat") || given.has("--numstat") ||
                          given.has("--dry-run");
  if (only_looks) return;
  const bool is_patch = command_.program == "patch";
  if (is_patch && !given.operands.empty()) return add(given.operands.front());
  std::string patch = command_.input;
  if (!is_patch) {
    for (const Word& word : command_.words) patch += '\n' + word.text;
  }
  const auto files = trace::files_of_patch(patch);
  for (const std::string& path : files) add({path});
  if (files.empty() || !command_.is_input_known) add_some();
}

}  // namespace spoor::guard::check
