#include "guard/check/commands.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"
#include "base/words.h"
#include "guard/check/table.h"

namespace spoor::guard::check {
namespace {

constexpr int kMostNesting = 12;
constexpr std::size_t kMostUnclear = 8;
constexpr std::size_t kMostText = 200;

constexpr std::array<std::string_view, 7> kShells = {"sh",  "bash", "zsh", "dash",
                                                     "ksh", "ash",  "mksh"};

// The parts of a command other than its words.
struct Given {
  std::vector<Redirect> redirects;
  std::vector<Word> assigned;
  std::string input;
  bool is_input_known = true;
  std::vector<std::string> fed_by;
};

class Collector {
 public:
  void add_script(std::string_view text, const std::string& folder, int nesting) {
    if (nesting > kMostNesting) {
      made.is_whole = false;
      return;
    }
    const Script script = read_script(text);
    made.is_whole = made.is_whole && script.is_whole;
    for (const std::string& what : script.unread) {
      unclear(fmt::format("it is unclear what {} in a script does: it is not read", what));
    }
    std::vector<std::optional<std::string>> folders(script.shells.size());
    folders[0] = folder;
    const auto folder_of = [&](std::size_t shell) -> std::string& {
      // A shell begins in the current folder of its parent; parents have smaller ids.
      std::size_t known = shell;
      while (!folders[known]) known = script.shells[known];
      if (!folders[shell]) folders[shell] = *folders[known];
      return *folders[shell];
    };
    std::vector<std::vector<std::size_t>> users(script.commands.size());
    for (std::size_t i = 0; i < script.commands.size(); ++i) {
      const std::size_t by = script.commands[i].used_by;
      if (by < users.size()) users[by].push_back(i);
    }
    for (std::size_t i = 0; i < script.commands.size(); ++i) {
      const SimpleCommand& simple = script.commands[i];
      std::string& where = folder_of(simple.shell);
      Given given{simple.redirects, simple.assigned, simple.input, simple.is_input_certain, {}};
      add_feeders(script, simple.piped_from, given.fed_by);
      for (const std::size_t user : users[i]) add_feeders(script, user, given.fed_by);
      add_words(simple.words, std::move(given), where, nesting);
      follow(simple, where);
    }
  }

  void add_words(std::vector<Word> words, Given given, const std::string& folder, int nesting) {
    if (nesting > kMostNesting) {
      made.is_whole = false;
      return;
    }
    std::string where = folder;
    for (int started = 0; !words.empty(); ++started) {
      const bool is_known = words.front().is_certain && !words.front().is_pattern;
      const Program* row = is_known ? wrapper_of(words) : nullptr;
      if (row == nullptr) break;
      if (started == kMostNesting) made.is_whole = false;
      if (started >= kMostNesting) break;
      std::vector<Word> rest = strip(*row, words, given, where);
      if (rest.empty()) break;  // It runs no other program: an ordinary command.
      words = std::move(rest);
    }
    Command command;
    command.redirects = std::move(given.redirects);
    command.assigned = std::move(given.assigned);
    command.input = std::move(given.input);
    command.is_input_known = given.is_input_known;
    command.folder = where;
    command.fed_by = std::move(given.fed_by);
    if (!words.empty()) {
      // A program that is not known yet is shown as written.
      const Word& first = words.front();
      const bool is_known = first.is_certain && !first.is_pattern;
      command.path = first.text;
      command.is_program_known = is_known;
      command.program = is_known ? base_name(first.text) : first.text;
      command.words.assign(words.begin() + 1, words.end());
      if (!is_known) unclear(fmt::format("it is unclear which program '{}' is", first.text));
    }
    const bool is_shell = is_in(kShells, command.program);
    const Command seen = command;
    const bool is_empty =
        command.program.empty() && command.redirects.empty() && command.assigned.empty();
    if (!is_empty) made.all.push_back(std::move(command));
    if (is_shell) add_shell(seen, nesting);
    if (seen.program == "find") add_executed(seen, nesting);
  }

  Commands made;

 private:
  void unclear(std::string why) {
    const bool is_known =
        std::find(made.unclear.begin(), made.unclear.end(), why) != made.unclear.end();
    if (!is_known && made.unclear.size() < kMostUnclear) made.unclear.push_back(std::move(why));
  }

  // Follows `cd` to its folder.
  static void follow(const SimpleCommand& simple, std::string& where) {
    if (simple.words.empty()) return;
    const std::string& name = simple.words.front().text;
    if (name == "cd" || name == "pushd") {
      std::size_t to = 1;
      while (to < simple.words.size() && simple.words[to].text.starts_with('-') &&
             simple.words[to].text.size() > 1) {
        ++to;
      }
      where = to < simple.words.size() ? folder_behind(where, simple.words[to]) : "~";
    } else if (name == "popd") {
      where = "?";
    }
  }

  // Adds the programs that produce the output of a command: itself, and those that feed it.
  static void add_feeders(const Script& script, std::size_t from, std::vector<std::string>& to) {
    for (int steps = 0; from != SimpleCommand::kNone && steps < 64; ++steps) {
      const SimpleCommand& simple = script.commands[from];
      for (const Word& word : simple.words) {
        // For `sudo`, `env A=b`: the first words up to the program.
        to.push_back(base_name(word.text));
        const Program* row = program_named(to.back());
        const bool goes_on = (row != nullptr && row->operands == Operands::command) ||
                             is_assignment(word.text) || word.text.starts_with('-');
        if (!goes_on) break;
      }
      from = simple.piped_from;
    }
  }

  // Returns the row of a command that only starts another program: `sudo`, or a verb such as `uv
  // run`.
  static const Program* wrapper_of(const std::vector<Word>& words) {
    const std::string name = base_name(words.front().text);
    const Program* row = program_named(name);
    if (row == nullptr) return nullptr;
    if (row->operands == Operands::command) return row;
    if (!row->has_verbs || words.size() < 2) return nullptr;
    row = program_named(row->kind + ' ' + words[1].text);
    return row != nullptr && row->operands == Operands::command ? row : nullptr;
  }

  // Returns the command after a wrapper and its own words; empty if there is none.
  std::vector<Word> strip(const Program& row, const std::vector<Word>& words, Given& given,
                          std::string& folder) {
    const std::size_t own = row.kind.find(' ') == std::string::npos ? 1 : 2;
    const std::vector<Word> rest(words.begin() + static_cast<std::ptrdiff_t>(own), words.end());
    const Options options = options_of(row, rest, true);
    const bool only_shows = row.kind == "command" && (options.has("-v") || options.has("-V"));
    if (only_shows) return {};
    std::vector<Word> operands = options.operands;
    const bool may_assign = row.kind == "env" || row.kind == "sudo" || row.kind == "doas";
    std::vector<Word> assigned;
    while (may_assign && !operands.empty() && is_assignment(operands.front().text)) {
      assigned.push_back(operands.front());
      operands.erase(operands.begin());
    }
    const std::size_t skipped = std::min(row.skip, operands.size());
    operands.erase(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(skipped));
    if (!row.separator.empty()) {
      const auto found = std::find(rest.begin(), rest.end(), Word{row.separator});
      operands.assign(found == rest.end() ? found : found + 1, rest.end());
    }
    if (operands.empty()) return {};
    for (const std::string& name : options.unknown) {
      unclear(
          fmt::format("it is unclear what '{} {}' does: the option is not known", row.name, name));
    }
    for (const Option& option : options.options) {
      if (option.role == Role::folder) folder = folder_behind(folder, option.value);
      if (option.role == Role::write) given.redirects.push_back({">", option.value});
      if (option.role != Role::run) continue;
      unclear(fmt::format("it is unclear what '{} {}' runs", row.name, option.name));
    }
    given.assigned.insert(given.assigned.end(), assigned.begin(), assigned.end());
    if (row.kind == "xargs") add_read_words(options, operands);
    return operands;
  }

  // Adds the words that `xargs` reads, which are unknown.
  static void add_read_words(const Options& options, std::vector<Word>& operands) {
    bool is_placed = false;
    for (const Option& option : options.options) {
      if (option.name != "-I" && option.name != "-i" && option.name != "--replace") continue;
      const std::string place = option.value.text.empty() ? "{}" : option.value.text;
      for (Word& word : operands) {
        if (word.text.find(place) == std::string::npos) continue;
        word.is_certain = false;
        is_placed = true;
      }
    }
    if (!is_placed) operands.push_back({"{}", false});
  }

  // Reads `bash -euo pipefail -c X`. Other scripts of a shell are files, which its row covers.
  void add_shell(const Command& command, int nesting) {
    const Program* row = program_named(command.program);
    if (row == nullptr) return;
    const Options options = options_of(*row, command.words, true);
    const bool reads_file = !options.operands.empty() && !options.has("-s");
    if (options.has("-c") && !options.operands.empty()) {
      const Word& script = options.operands.front();
      if (!script.is_certain) unclear("it is unclear which script runs: it is made of variables");
      add_script(script.text, command.folder, nesting + 1);
    } else if (!reads_file && !command.input.empty()) {
      add_script(command.input, command.folder, nesting + 1);
    }
  }

  // Reads `find … -exec rm -rf {} +`: the found files are in the searched folders.
  void add_executed(const Command& command, int nesting) {
    std::vector<Word> starts = starts_of_find(command.words);
    if (starts.empty()) starts.push_back({"."});
    bool narrows = false;
    for (std::size_t i = 0; i < command.words.size(); ++i) {
      const std::string& word = command.words[i].text;
      narrows = narrows || word == "-name" || word == "-iname" || word == "-path";
      const bool runs = word == "-exec" || word == "-execdir" || word == "-ok" || word == "-okdir";
      if (!runs) continue;
      std::vector<Word> words;
      for (++i; i < command.words.size(); ++i) {
        const Word& next = command.words[i];
        if (next.text == ";" || next.text == "+") break;
        if (next.text != "{}") {
          words.push_back(next);
          if (next.text.find("{}") != std::string::npos) words.back().is_certain = false;
          continue;
        }
        for (const Word& start : starts) {
          // All files, or an unknown part of them.
          words.push_back(narrows ? Word{start.text + "/{}", false}
                                  : Word{start.text + "/*", start.is_certain, true});
        }
      }
      add_words(std::move(words), {}, command.folder, nesting + 1);
    }
  }
};

}  // namespace

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && !word.starts_with('-') &&
         word.substr(0, equals).find_first_of("/.:$ ") == std::string_view::npos;
}

std::vector<Word> starts_of_find(const std::vector<Word>& words) {
  const auto end = std::find_if(words.begin(), words.end(), [](const Word& word) {
    return word.text.starts_with('-') || word.text == "(" || word.text == "!";
  });
  return {words.begin(), end};
}

std::string base_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string folder_behind(std::string_view folder, const Word& to) {
  const bool is_known = to.is_certain && !to.is_pattern && to.text != "-";
  const bool is_from_start = to.text.starts_with('/') || to.text.starts_with('~');
  if (!is_known) return "?";
  if (is_from_start || folder.empty()) return to.text;
  return folder == "?" ? "?" : std::string(folder) + '/' + to.text;
}

bool Command::has_flag(char letter, std::string_view name) const {
  for (const Word& word : words) {
    const std::string_view text = word.text;
    if (text == "--") return false;
    if (text.starts_with("--")) {
      // A name may be abbreviated: `--recurs`.
      const std::string_view given = text.substr(0, text.find('='));
      if (given.size() > 2 && name.starts_with(given)) return true;
    } else if (letter != 0 && text.size() > 1 && text.front() == '-' &&
               text.find(letter) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

std::vector<Word> Command::operands() const {
  std::vector<Word> made;
  bool is_over = false;
  for (const Word& word : words) {
    if (!is_over && word.text == "--") {
      is_over = true;
    } else if (is_over || word.text == "-" || !word.text.starts_with('-')) {
      made.push_back(word);
    }
  }
  return made;
}

std::string Command::text() const {
  std::string typed = program;
  for (const Word& word : words) {
    typed += ' ';
    const bool is_plain = word.text.find_first_of(" \t\n'\"") == std::string::npos;
    typed += is_plain && !word.text.empty() ? word.text : '\'' + word.text + '\'';
  }
  for (const Redirect& redirect : redirects) typed += ' ' + redirect.op + ' ' + redirect.to.text;
  if (typed.size() > kMostText) typed = std::string(first_code_points(typed, kMostText)) + "…";
  return typed;
}

Commands commands_of_script(std::string_view script, std::string_view folder) {
  Collector collector;
  collector.add_script(script, std::string(folder), 0);
  return std::move(collector.made);
}

Commands commands_of_argv(const std::vector<std::string>& argv, std::string_view folder) {
  Collector collector;
  std::vector<Word> words;
  words.reserve(argv.size());
  for (const std::string& text : argv) words.push_back({text, true});
  collector.add_words(std::move(words), {}, std::string(folder), 0);
  return std::move(collector.made);
}

}  // namespace spoor::guard::check
