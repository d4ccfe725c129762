#include "guard/check/effects.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/words.h"
#include "guard/check/effects_reader.h"
#include "guard/check/languages.h"
#include "guard/check/table.h"

namespace spoor::guard::check {
namespace {

// Returns true for folders of system programs: there the name identifies the program.
bool is_of_system(std::string_view path) {
  constexpr std::array<std::string_view, 7> kFolders = {
      "/bin/",      "/usr/bin/",          "/usr/local/bin/", "/sbin/",
      "/usr/sbin/", "/opt/homebrew/bin/", "/usr/local/sbin/"};
  return std::any_of(kFolders.begin(), kFolders.end(), [&](std::string_view folder) {
    return path.starts_with(folder) && path.find('/', folder.size()) == std::string_view::npos;
  });
}

// Returns the name of the row, which all versions of python share: `python3.11`.
std::string row_name(const std::string& program) {
  const bool is_python = program.starts_with("python") &&
                         program.find_first_not_of("0123456789.", 6) == std::string::npos;
  return is_python ? "python" : program;
}

}  // namespace

void EffectsReader::read() {
  for (const Redirect& redirect : command_.redirects) read_redirect(redirect);
  const bool is_alone = command_.path.empty();
  for (const Word& word : command_.assigned) read_assigned(word, is_alone);
  if (is_alone) return;
  const bool has_path = command_.path.find('/') != std::string::npos;
  if (!command_.is_program_known) return;  // The collector has reported it.
  if (has_path && !is_of_system(command_.path)) {
    to_.runs.push_back({command_.path, folder_});
    if (program_named(row_name(command_.program)) == nullptr) return;
  }
  read_program();
}

void EffectsReader::unknown(std::string why) { to_.unknown.push_back(std::move(why)); }

void EffectsReader::add(const Word& given, Reach reach) {
  if (given.text.empty() || given.text == "-") return;
  const Word word = without_own_folder(given);
  if (is_temporary_by_name(word)) {
    to_.changes.push_back({"/tmp/" + base_name(word.text), folder_, true});
    return;
  }
  to_.changes.push_back({word.text, folder_, true, word.is_certain, word.is_pattern, reach});
}

void EffectsReader::add_all(const std::vector<Word>& words, Reach reach) {
  for (const Word& word : words) add(word, reach);
}

// Adds a file in a folder, with the last name of another path.
void EffectsReader::add_in(const Word& folder, const Word& named, Reach reach) {
  add({folder.text + '/' + base_name(named.text), folder.is_certain && named.is_certain,
       folder.is_pattern || named.is_pattern},
      reach);
}

void EffectsReader::add_some() { add({"."}, Reach::some); }

// Adds the files whose names begin with this.
void EffectsReader::add_names(const Word& beginning) {
  add({beginning.text + '*', beginning.is_certain, true});
}

// Adds the files that a formatter rewrites. The project's settings decide which of its files it
// takes.
void EffectsReader::add_edited(const std::vector<Word>& words) {
  for (const Word& word : words) {
    const bool is_pattern = word.text.find_first_of("*?[{") != std::string::npos;
    if (word.text == "." || word.text == "./") continue;
    add({word.text, word.is_certain, is_pattern}, is_pattern ? Reach::itself : Reach::some);
  }
}

void EffectsReader::read_variable(const Word& name) {
  if (name.is_certain && !is_obeyed_variable(name.text)) return;
  unknown(fmt::format("it is unclear what '{}=…' makes programs do", name.text));
}

void EffectsReader::add_address(const Word& word) {
  if (word.text.empty()) return;
  if (lowered(word.text.substr(0, 5)) == "file:") {
    return unknown(fmt::format("it is unclear which file of this machine '{}' is", word.text));
  }
  to_.hosts.push_back(host_of_word(word));
}

void EffectsReader::read_redirect(const Redirect& redirect) {
  for (const std::string_view device : {"/dev/tcp/", "/dev/udp/"}) {
    if (!redirect.to.text.starts_with(device)) continue;
    const std::string_view rest = std::string_view(redirect.to.text).substr(device.size());
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    Host host = host_of_authority(rest.substr(0, slash), redirect.to.text);
    host.port = rest.substr(std::min(slash + 1, rest.size()));
    to_.hosts.push_back(redirect.to.is_certain ? std::move(host) : Host{"", "", redirect.to.text});
    return unknown("it is unclear what a connection of the shell itself is for");
  }
  if (redirect.op != "<") add(redirect.to);
}

// Reads `A=b`, before a program or alone. If alone, programs see it only if they saw it before.
void EffectsReader::read_assigned(const Word& word, bool is_alone) {
  const std::size_t equals = std::min(word.text.find('='), word.text.size());
  std::string name = word.text.substr(0, equals);
  if (name.ends_with('+')) name.pop_back();
  const std::string value = word.text.substr(std::min(equals + 1, word.text.size()));
  const std::string small = lowered(name);
  if (small.ends_with("_proxy") && small != "no_proxy") {
    return add_address({value, word.is_certain});
  }
  // `PYTHONPATH=src`
  const bool leads_away =
      name.ends_with("PATH") &&
      (!word.is_certain || value.find_first_of("/~") == 0 || value.find("..") != std::string::npos);
  // A plain value contains no file name and no options: `FOO=bar make`.
  const bool is_plain = word.is_certain && !value.starts_with('-') &&
                        value.find_first_of("/~ \t\n") == std::string::npos;
  const bool is_read = (is_known_variable(name) && !leads_away) ||
                       (is_plain && !is_obeyed_variable(name) && !is_telling_variable(name));
  const bool is_fine = is_alone ? !is_obeyed_variable(name) : is_read;
  if (!is_fine) unknown(fmt::format("it is unclear what '{}=…' makes programs do", name));
}

void EffectsReader::read_program() {
  const std::string name = row_name(command_.program);
  const Program* row = program_named(name);
  if (row == nullptr) {
    return unknown(fmt::format(
        "it is unclear what '{}' does: the table of programs does not have it", command_.program));
  }
  std::vector<Word> words = command_.words;
  if (name == "find") drop_executed(words);
  if (name == "tar" && !words.empty() && !words.front().text.starts_with('-')) {
    words.front().text.insert(0, "-");  // `tar xf a`
  }
  while (row->has_verbs) {
    const Options before = options_of(*row, words, true);
    read_options(*row, before);
    std::vector<Word> rest = before.operands;
    if (!rest.empty() && rest.front().text.starts_with('+')) rest.erase(rest.begin());
    if (rest.empty()) return;  // It prints its usage, or `--version`.
    const std::string verb = rest.front().text;
    const Program* next = program_named(row->kind + ' ' + verb);
    if (next == nullptr) next = program_named(row->kind + " *");
    if (next == nullptr || !rest.front().is_certain) {
      return unknown(
          fmt::format("it is unclear what '{} {}' does: the table of programs does not have it",
                      row->name, verb));
    }
    if (!row->asks.empty()) to_.hosts.push_back({row->asks, "", command_.text()});
    words.assign(rest.begin() + 1, rest.end());
    row = next;
  }
  if (is_in(std::array{"test", "[", "[[", "read", "unset", "printf", "export", "declare"},
            row->kind)) {
    // A subscript is an arithmetic expression, in which a shell runs substitutions.
    for (const Word& word : words) {
      const bool runs =
          word.text.find("[$(") != std::string::npos || word.text.find("[`") != std::string::npos;
      if (runs) unknown("it is unclear what a subscript with a command in it does");
    }
  }
  if (!row->unknown.empty()) {
    return unknown(fmt::format("it is unclear what '{}' does: {}", row->name, row->unknown));
  }
  const bool stops = row->operands == Operands::command || row->operands == Operands::file ||
                     row->operands == Operands::host_first;
  const Options given = options_of(*row, words, stops);
  read_options(*row, given);
  read_operands(*row, given, words);
}

void EffectsReader::read_options(const Program& row, const Options& given) {
  for (const std::string& name : given.unknown) {
    unknown(
        fmt::format("it is unclear what '{} {}' does: the option is not known", row.name, name));
  }
  for (const Option& option : given.options) {
    const Word& value = option.value;
    switch (option.role) {
      case Role::flag:
      case Role::take:
      case Role::edit:
      case Role::look:
      case Role::glued:
        break;
      case Role::prefix:
        add_names(value);
        break;
      case Role::write:
        if (!is_in_folder(row, given, value)) add(value);
        break;
      case Role::write_in:
        add(value, Reach::some);
        break;
      case Role::run:
        unknown(fmt::format("it is unclear what '{} {}' runs", row.name, option.name));
        break;
      case Role::host:
        add_address(value);
        break;
      case Role::through:
        to_.hosts.push_back({"", "", value.text});
        break;
      case Role::folder:
        folder_ = folder_behind(folder_, value);
        break;
      case Role::file:
        add_run(value);
        break;
      case Role::code:
        read_code(row, value);
        break;
      case Role::sql:
        read_sql(value);
        break;
      case Role::define:
        if (!value.is_certain || !is_known_setting(row, value.text)) {
          unknown(fmt::format("it is unclear what the setting '{}' makes '{}' do", value.text,
                              row.name));
        }
        break;
    }
  }
  for (const bool may_run = has_role(row, Role::run); const Word& word : given.operands) {
    // `*` may be a file named `--checkpoint-action=…`, `$X` any option.
    const bool is_open = (!word.is_certain && word.text.find_first_of("$`{") == 0) ||
                         (word.is_pattern && word.text.find_first_of("*?[{") == 0);
    const bool is_brace =
        !word.is_certain && word.text.starts_with('{') && !row.options.empty() && word.text != "{}";
    if (is_brace || (may_run && is_open)) {
      unknown(fmt::format("it is unclear whether '{}' is an option of '{}'", word.text, row.name));
    }
    if (row.reads_words && word.text.starts_with('@')) {
      unknown(fmt::format("it is unclear which options '{}' has in '{}'", row.name, word.text));
    }
  }
}

// Returns true for `curl --output-dir d -o f`.
bool EffectsReader::is_in_folder(const Program& row, const Options& given, const Word& file) {
  for (const Option& option : given.options) {
    const bool is_it = row.kind == "curl" && option.name == "--output-dir";
    if (!is_it) continue;
    add({option.value.text + '/' + file.text, option.value.is_certain && file.is_certain});
    return true;
  }
  return false;
}

void EffectsReader::add_run(const Word& file) {
  const bool is_known = file.is_certain && !file.is_pattern && file.text != "-" &&
                        !has_scheme(file.text) && !file.text.starts_with("/dev/") &&
                        !file.text.starts_with("/proc/");
  if (is_known) {
    to_.runs.push_back({file.text, folder_});
  } else {
    unknown(fmt::format("it is unclear which script '{}' reads", command_.program));
  }
}

void EffectsReader::read_code(const Program& row, const Word& code) {
  if (!code.is_certain || row.language.empty()) {
    return unknown(fmt::format("it is unclear which code '{}' runs", row.name));
  }
  if (const auto doubt = doubt_of(row.language, code.text)) {
    unknown(fmt::format("it is unclear what code for '{}' does: {}", row.name, *doubt));
  }
}

void EffectsReader::read_sql(const Word& text) {
  to_.sql += text.text + ";\n";
  if (!text.is_certain) return unknown("it is unclear which SQL it is");
  if (const auto doubt = doubt_of_sql(text.text)) {
    unknown(fmt::format("it is unclear what SQL for '{}' does: {}", command_.program, *doubt));
  }
}

void EffectsReader::read_operands(const Program& row, const Options& given,
                                  const std::vector<Word>& words) {
  const std::vector<Word>& operands = given.operands;
  const bool is_deep = given.has("-r") || given.has("-R") || given.has("--recursive") ||
                       given.has("-a") || given.has("--archive");
  const Reach reach = is_deep ? Reach::beneath : Reach::itself;
  const Word first = operands.empty() ? Word{} : operands.front();
  const auto has = [&](Role role) {
    return std::any_of(given.options.begin(), given.options.end(),
                       [role](const Option& option) { return option.role == role; });
  };
  const std::size_t skipped = std::min(row.skip, operands.size());
  switch (row.operands) {
    case Operands::read:
    case Operands::command:
      break;
    case Operands::write:
      if (has(Role::look)) break;
      add_all({operands.begin() + static_cast<std::ptrdiff_t>(skipped), operands.end()}, reach);
      break;
    case Operands::mode: {
      const std::size_t modes = given.has("--reference") ? 0 : 1;
      for (std::size_t i = modes; i < operands.size(); ++i) add(operands[i], reach);
      break;
    }
    case Operands::variable:
      read_variable(first);
      break;
    case Operands::variables:
      for (const Word& word : operands) read_variable(word);
      break;
    case Operands::first:
      add(first);
      break;
    case Operands::last:
    case Operands::move:
    case Operands::link:
    case Operands::copy:
      read_moved(row, given, is_deep || row.kind == "rsync");
      break;
    case Operands::some:
      add_some();
      break;
    case Operands::tree:
      read_tree(row, given, words);
      break;
    case Operands::make:
      if (operands.size() == 1 && row.kind.ends_with("clone")) {
        add_in({"."}, first, Reach::beneath);
      } else if (!operands.empty()) {
        add(operands.back(), Reach::beneath);
      }
      read_remotes(operands);
      break;
    case Operands::file:
      read_file(row, given);
      break;
    case Operands::project:
      read_project(row, operands);
      if ((row.edits || has(Role::edit)) && !has(Role::look)) add_edited(operands);
      break;
    case Operands::package:
      read_packages(row, operands);
      break;
    case Operands::host:
      for (const Word& word : operands) add_address(word);
      if (row.kind == "curl" || row.kind == "wget") read_fetched(row, given);
      break;
    case Operands::host_first:
      if (!operands.empty()) add_address(first);
      unknown(fmt::format("it is unclear what '{}' does elsewhere", row.name));
      break;
    case Operands::host_port:
      if (!operands.empty() && !given.has("-l")) add_address(first);
      if (operands.size() > 1 && !to_.hosts.empty() && to_.hosts.back().port.empty()) {
        to_.hosts.back().port = operands[1].text;
      }
      break;
    case Operands::remote:
      read_remotes(operands);
      break;
    case Operands::code_first:
      read_filter(row, given);
      break;
    case Operands::sql:
      for (std::size_t i = row.skip; i < operands.size(); ++i) read_sql(operands[i]);
      break;
  }
  read_own(row, given, words);
}

Effects effects_of(const Command& command) {
  Effects made;
  EffectsReader(command, made, 0).read();
  return made;
}

Word without_own_folder(const Word& word) {
  for (const std::string_view own : {"$PWD", "${PWD}", "$(pwd)", "`pwd`"}) {
    const std::string_view text = word.text;
    if (!text.starts_with(own)) continue;
    const std::string_view rest = text.substr(own.size());
    const bool is_path = rest.empty() || rest.starts_with('/');
    if (!is_path || rest.find_first_of("$`") != std::string_view::npos) continue;
    return {"." + std::string(rest), true, word.is_pattern};
  }
  return word;
}

bool is_temporary_by_name(const Word& word) {
  const std::string_view text = word.text;
  for (const std::string_view name :
       {"$TMPDIR", "${TMPDIR}", "${TMPDIR:-/tmp}", "$TMP", "${TMP}", "${TMP:-/tmp}", "$TEMP",
        "${TEMP}", "$(mktemp)", "$(mktemp -d)", "`mktemp`", "`mktemp -d`"}) {
    if (!text.starts_with(name)) continue;
    const std::string_view rest = text.substr(name.size());
    const bool is_path = rest.empty() || rest.starts_with('/');
    const bool goes_up = rest.find("..") != std::string_view::npos;
    if (is_path && !goes_up && rest.find_first_of("$`") == std::string_view::npos) return true;
  }
  return false;
}

}  // namespace spoor::guard::check
