#include "guard/check/table.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "agent/builtin/glob.h"
#include "base/toml_values.h"
#include "base/words.h"
#include "guard/check/builtin.h"

namespace spoor::guard::check {
namespace {

constexpr std::size_t kMostTable = 1U << 20U;

// The lists of variables.
constexpr std::array<std::string_view, 3> kVariables = {"known", "obeyed", "telling"};

constexpr std::array<std::pair<Role, std::string_view>, 16> kRoles = {{
    {Role::flag, "flag"},
    {Role::take, "take"},
    {Role::write, "write"},
    {Role::write_in, "write-in"},
    {Role::edit, "edit"},
    {Role::look, "look"},
    {Role::glued, "glued"},
    {Role::prefix, "prefix"},
    {Role::run, "run"},
    {Role::host, "host"},
    {Role::through, "through"},
    {Role::folder, "folder"},
    {Role::file, "file"},
    {Role::code, "code"},
    {Role::sql, "sql"},
    {Role::define, "define"},
}};

constexpr std::array<std::pair<Operands, std::string_view>, 23> kOperands = {{
    {Operands::read, "read"},
    {Operands::write, "write"},
    {Operands::mode, "mode"},
    {Operands::first, "first"},
    {Operands::last, "last"},
    {Operands::move, "move"},
    {Operands::link, "link"},
    {Operands::some, "some"},
    {Operands::tree, "tree"},
    {Operands::make, "make"},
    {Operands::command, "command"},
    {Operands::variable, "variable"},
    {Operands::variables, "variables"},
    {Operands::file, "file"},
    {Operands::project, "project"},
    {Operands::package, "package"},
    {Operands::host, "host"},
    {Operands::host_first, "host-first"},
    {Operands::host_port, "host-port"},
    {Operands::copy, "copy"},
    {Operands::remote, "remote"},
    {Operands::code_first, "code-first"},
    {Operands::sql, "sql"},
}};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// Parses `lrt --recursive -name`: letters, and names with their dashes.
void add_options(std::string_view text, Role role, Program& to) {
  for (std::string& word : words_of(text)) {
    if (word.front() == '-') {
      to.options[std::move(word)] = role;
      continue;
    }
    for (const char letter : word) to.options[std::string("-") + letter] = role;
  }
}

struct Table {
  std::map<std::string, Program, std::less<>> programs;
  std::map<std::string, std::vector<std::string>, std::less<>> variables;  // `known`, …
};

class TableReader {
 public:
  Result<Table> read(std::string_view toml) {
    const toml::table file = TRY(values_.parse(toml, kMostTable));
    for (const auto& [name, node] : file) {
      const toml::table* row = node.as_table();
      if (row == nullptr) return values_.wrong(node, "is not a table");
      if (name.str() == "variables") {
        TRY(read_variables(*row));
      } else {
        TRY(read_row(std::string(name.str()), *row));
      }
    }
    return std::move(table_);
  }

 private:
  Result<void> read_variables(const toml::table& row) {
    for (const auto& [name, node] : row) {
      const std::string_view list = name.str();
      if (!is_in(kVariables, list)) return values_.unknown(node, list);
      table_.variables[std::string(list)] = words_of(TRY(values_.text(node, list)));
    }
    return {};
  }

  Result<void> read_row(std::string name, const toml::table& row) {
    Program made;
    const std::string own_name = name;
    bool is_group = false;
    std::vector<std::string> verbs;
    std::vector<std::string> names = {std::move(name)};
    for (const auto& [key, node] : row) {
      const std::string_view member = key.str();
      if (member == "also" || member == "programs") {
        // Other verbs of `cargo`, after `cargo build`.
        const std::string before = names.front().substr(0, names.front().rfind(' ') + 1);
        is_group = member == "programs";
        if (is_group) names.clear();
        for (const std::string& each : words_of(TRY(values_.text(node, member)))) {
          names.push_back(is_group ? each : before + each);
        }
      } else if (member == "verbs") {
        made.has_verbs = true;
        verbs = words_of(TRY(values_.text(node, member)));
      } else if (member == "operands") {
        const auto found = value_in(kOperands, TRY(values_.text(node, member)));
        if (!found) return values_.wrong(node, "is not a kind of operands");
        made.operands = *found;
      } else if (member == "skip") {
        made.skip = static_cast<std::size_t>(TRY(values_.whole(node, member, 0, 9)));
      } else if (member == "whole") {
        made.is_whole = TRY(values_.truth(node, member));
      } else if (member == "edits") {
        made.edits = TRY(values_.truth(node, member));
      } else if (member == "at") {
        made.reads_words = TRY(values_.truth(node, member));
      } else if (member == "single") {
        made.is_single = TRY(values_.truth(node, member));
      } else if (member == "known") {
        made.known = words_of(TRY(values_.text(node, member)));
      } else if (member == "separator") {
        made.separator = TRY(values_.text(node, member));
      } else if (member == "language") {
        made.language = TRY(values_.text(node, member));
      } else if (member == "asks") {
        made.asks = TRY(values_.text(node, member));
      } else if (member == "unknown") {
        made.unknown = TRY(values_.text(node, member));
      } else if (const auto role = value_in(kRoles, member)) {
        made.is_strict = made.is_strict || *role == Role::flag;
        add_options(TRY(values_.text(node, member)), *role, made);
      } else {
        return values_.unknown(node, member);
      }
    }
    for (const std::string& verb : verbs) {
      // Separate rows, with the names of options that every verb takes.
      Program plain;
      plain.name = plain.kind = fmt::format("{} {}", own_name, verb);
      for (const auto& [option, role] : made.options) {
        if (option.starts_with("--")) plain.options[option] = role;
      }
      table_.programs.emplace(plain.name, plain);
    }
    for (const std::string& each : names) {
      made.name = each;
      made.kind = is_group ? each : names.front();
      table_.programs[each] = made;
    }
    return {};
  }

  const TomlValues values_{"effects.toml", "see the head of src/guard/check/effects.toml"};
  Table table_;
};

const Table& table() {
  static const Table made = [] {
    auto read = TableReader().read(builtin_effects());
    if (!read) throw std::logic_error(read.error().message);
    return std::move(read).value();
  }();
  return made;
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return agent::builtin::matches_glob(pattern, name);
  });
}

bool is_variable(std::string_view list, std::string_view name) {
  const auto found = table().variables.find(list);
  return found != table().variables.end() && matches_any(found->second, name);
}

// Returns true for options that take no word, or only an attached one.
bool may_stand_alone(Role role) {
  return role == Role::flag || role == Role::edit || role == Role::look || role == Role::glued;
}

// Returns true for `4`, or a command that certainly prints a number.
bool is_number(const Word& word) {
  constexpr std::array<std::string_view, 5> kCounts = {"$(nproc)", "`nproc`", "$(nproc --all)",
                                                       "$(getconf _NPROCESSORS_ONLN)",
                                                       "$(sysctl -n hw.ncpu)"};
  if (!word.is_certain) return is_in(kCounts, word.text);
  return !word.text.empty() && word.text.find_first_not_of("0123456789") == std::string::npos;
}

// Parses one word of options. Options that the row lacks are flags, or unknown.
class OptionReader {
 public:
  OptionReader(const Program& program, const std::vector<Word>& words, Options& to)
      : program_(program), words_(words), to_(to) {}

  void read(bool stops) {
    for (; at_ < words_.size(); ++at_) {
      const std::string& text = words_[at_].text;
      if (text == "--") {
        ++at_;
        break;
      }
      if (text.size() < 2 || (text.front() != '-' && !is_plus(text))) {
        if (stops) break;
        to_.operands.push_back(words_[at_]);
      } else if (text.starts_with("--") || program_.is_single) {
        read_name(words_[at_]);
      } else {
        read_letters(words_[at_]);
      }
    }
    for (; at_ < words_.size(); ++at_) to_.operands.push_back(words_[at_]);
  }

 private:
  // Returns true for `+e` of a shell.
  bool is_plus(const std::string& text) const {
    return text.front() == '+' && program_.options.contains("-+");
  }

  Word next() { return at_ + 1 < words_.size() ? words_[++at_] : Word{}; }

  void no_row(std::string name) {
    if (program_.is_strict) to_.unknown.push_back(name);
    to_.options.push_back({Role::flag, std::move(name), {}});
  }

  void read_name(const Word& word) {
    const std::size_t equals = std::min(word.text.find('='), word.text.size());
    const std::string given = word.text.substr(0, equals);
    auto found = program_.options.find(given);
    const bool may_be_short = given.size() > 3 && !program_.is_single && !program_.is_whole;
    if (found == program_.options.end() && may_be_short) {
      // A name may be abbreviated.
      found = program_.options.lower_bound(given);
      const bool is_start = found != program_.options.end() && found->first.starts_with(given);
      if (!is_start) found = program_.options.end();
    }
    if (found == program_.options.end() && program_.is_single && given.size() > 2) {
      // `-Bfolder` of a compiler.
      const auto letter = program_.options.find(given.substr(0, 2));
      const bool is_it = letter != program_.options.end() &&
                         (letter->second == Role::run || letter->second == Role::define);
      if (is_it) {
        to_.options.push_back({letter->second,
                               letter->first,
                               {word.text.substr(2), word.is_certain, word.is_pattern}});
        return;
      }
    }
    if (found == program_.options.end()) return no_row(given);
    Option option{found->second, found->first, {}};
    const bool takes = !may_stand_alone(option.role);
    if (equals < word.text.size()) {
      option.value = {word.text.substr(equals + 1), word.is_certain, word.is_pattern};
    } else if (takes) {
      option.value = next();
    }
    to_.options.push_back(std::move(option));
  }

  void read_letters(const Word& word) {
    const std::string& text = word.text;
    for (std::size_t i = 1; i < text.size(); ++i) {
      const std::string name = std::string("-") + text[i];
      const auto found = program_.options.find(name);
      if (found == program_.options.end()) {
        no_row(name);
        continue;
      }
      Option option{found->second, name, {}};
      if (option.role == Role::flag || option.role == Role::look) {
        to_.options.push_back(std::move(option));
        continue;
      }
      const Word glued{text.substr(i + 1), word.is_certain, word.is_pattern};
      if (option.role == Role::glued && !is_number(glued)) {
        to_.options.push_back(std::move(option));
        if (!glued.is_certain) return no_row(text);
        continue;
      }
      const bool takes_next = glued.text.empty() && !may_stand_alone(option.role);
      option.value = takes_next ? next() : glued;
      to_.options.push_back(std::move(option));
      return;
    }
  }

  const Program& program_;
  const std::vector<Word>& words_;
  Options& to_;
  std::size_t at_ = 0;
};

}  // namespace

const Program* program_named(std::string_view name) {
  const auto& programs = table().programs;
  const auto found = programs.find(name);
  return found == programs.end() ? nullptr : &found->second;
}

bool is_known_setting(const Program& program, std::string_view setting) {
  return matches_any(program.known, setting);
}

bool is_known_variable(std::string_view name) { return is_variable("known", name); }

bool is_obeyed_variable(std::string_view name) { return is_variable("obeyed", name); }

bool is_telling_variable(std::string_view name) { return is_variable("telling", name); }

bool has_role(const Program& program, Role role) {
  return std::any_of(program.options.begin(), program.options.end(),
                     [role](const auto& option) { return option.second == role; });
}

bool Options::has(std::string_view name) const {
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& option) { return option.name == name; });
}

Options options_of(const Program& program, const std::vector<Word>& words, bool stops) {
  Options made;
  OptionReader(program, words, made).read(stops);
  return made;
}

Result<void> check_table(std::string_view toml) {
  TRY(TableReader().read(toml));
  return {};
}

}  // namespace spoor::guard::check
