#include "audit/check/commands.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "store/utf8.h"

namespace spoor::audit::check {
namespace {

constexpr int kMostNesting = 12;
constexpr std::size_t kMostText = 200;

// A program that runs what comes behind it, and its flags that take a word.
struct Wrapper {
  std::string_view name;
  std::string_view with_value;       // Letters.
  std::string_view long_with_value;  // `--name`s, with blanks between them.
  std::size_t operands = 0;          // Words of its own before the command.
};
constexpr std::array kWrappers = {
    Wrapper{"sudo", "ugpCDRTthr", "--user --group --prompt --chdir --host --role --type", 0},
    Wrapper{"doas", "uC", "", 0},
    Wrapper{"env", "uC", "--unset --chdir", 0},
    Wrapper{"nohup", "", "", 0},
    Wrapper{"setsid", "", "", 0},
    Wrapper{"time", "fo", "--format --output", 0},
    Wrapper{"timeout", "ks", "--kill-after --signal", 1},
    Wrapper{"gtimeout", "ks", "--kill-after --signal", 1},
    Wrapper{"nice", "n", "--adjustment", 0},
    Wrapper{"ionice", "cn", "--class --classdata", 0},
    Wrapper{"stdbuf", "ioe", "--input --output --error", 0},
    Wrapper{"xargs", "IEnPdLsa",
            "--replace --max-args --max-procs --delimiter --max-lines --max-chars --arg-file", 0},
    Wrapper{"exec", "a", "", 0},
    Wrapper{"command", "", "", 0},
    Wrapper{"builtin", "", "", 0},
    Wrapper{"busybox", "", "", 0},
    Wrapper{"unbuffer", "", "", 0},
    Wrapper{"chronic", "", "", 0},
    Wrapper{"strace", "eopSPuE", "", 0},
    Wrapper{"watch", "ndt", "--interval", 0},
};

constexpr std::array<std::string_view, 8> kShells = {"sh",  "bash", "zsh",  "dash",
                                                     "ksh", "ash",  "mksh", "fish"};

bool is_shell(std::string_view name) {
  return std::find(kShells.begin(), kShells.end(), name) != kShells.end();
}

std::string base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

std::string folder_behind(std::string_view folder, const Word& to) {
  if (!to.is_certain || to.text == "-" || folder == "?") {
    return to.is_certain && (to.text.starts_with('/') || to.text.starts_with('~')) ? to.text : "?";
  }
  if (to.text.starts_with('/') || to.text.starts_with('~') || folder.empty()) return to.text;
  return std::string(folder) + '/' + to.text;
}

class Collector {
 public:
  void add_script(std::string_view text, const std::string& folder, int nesting) {
    if (nesting > kMostNesting) {
      made.is_whole = false;
      return;
    }
    const Script script = read_script(text);
    made.is_whole = made.is_whole && script.is_whole;
    std::vector<std::optional<std::string>> folders(script.shells.size());
    folders[0] = folder;
    const auto folder_of = [&](std::size_t shell) -> std::string& {
      // A shell begins where the one around it is then; ids of outer ones are smaller.
      std::size_t known = shell;
      while (!folders[known]) known = script.shells[known];
      if (!folders[shell]) folders[shell] = *folders[known];
      return *folders[shell];
    };
    for (std::size_t i = 0; i < script.commands.size(); ++i) {
      const SimpleCommand& simple = script.commands[i];
      std::string& where = folder_of(simple.shell);
      std::vector<std::string> fed_by;
      std::string input = simple.input;
      if (simple.piped_from != SimpleCommand::kNone) {
        const SimpleCommand& before = script.commands[simple.piped_from];
        add_feeders(script, simple.piped_from, fed_by);
        input += printed_by(before);
      }
      for (std::size_t j = i + 1; j < script.commands.size(); ++j) {
        if (script.commands[j].used_by == i) add_feeders(script, j, fed_by);
        if (script.commands[j].used_by == SimpleCommand::kNone) break;
      }
      add_words(simple.words, simple.redirects, std::move(input), where, std::move(fed_by),
                nesting);
      if (simple.words.empty()) continue;
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
  }

  void add_words(std::vector<Word> words, std::vector<Redirect> redirects, std::string input,
                 const std::string& folder, std::vector<std::string> fed_by, int nesting) {
    if (nesting > kMostNesting) {
      made.is_whole = false;
      return;
    }
    std::string where = folder;
    while (!words.empty()) {
      const std::string name = base_name(words.front().text);
      const auto* wrapper = std::find_if(kWrappers.begin(), kWrappers.end(),
                                         [&](const Wrapper& w) { return w.name == name; });
      if (wrapper == kWrappers.end()) break;
      if (!strip(*wrapper, words, where, nesting)) return;
    }
    Command command;
    command.redirects = std::move(redirects);
    command.input = std::move(input);
    command.folder = where;
    command.fed_by = std::move(fed_by);
    if (!words.empty()) {
      // One that is not known yet is shown as it is written.
      const Word& first = words.front();
      command.program = first.is_certain ? base_name(first.text) : first.text;
      command.words.assign(words.begin() + 1, words.end());
    }
    std::vector<std::string> scripts = scripts_of(command);
    if (command.program == "find") add_executed(command, nesting);
    if (!command.program.empty() || !command.redirects.empty()) {
      made.all.push_back(std::move(command));
    }
    for (const std::string& script : scripts) add_script(script, where, nesting + 1);
  }

  Commands made;

 private:
  // The programs whose output comes out of a command: itself, and what feeds it.
  static void add_feeders(const Script& script, std::size_t from, std::vector<std::string>& to) {
    for (int steps = 0; from != SimpleCommand::kNone && steps < 64; ++steps) {
      const SimpleCommand& simple = script.commands[from];
      for (const Word& word : simple.words) {
        // Through `sudo`, `env A=b`: whichever of the first words is a program.
        to.push_back(base_name(word.text));
        const bool goes_on = std::any_of(kWrappers.begin(), kWrappers.end(),
                                         [&](const Wrapper& w) { return w.name == to.back(); }) ||
                             word.text.find('=') != std::string::npos || word.text.starts_with('-');
        if (!goes_on) break;
      }
      from = simple.piped_from;
    }
  }

  // What `echo` and `printf` print, as far as it is known; nothing for others.
  static std::string printed_by(const SimpleCommand& simple) {
    if (simple.words.empty()) return {};
    const std::string& name = simple.words.front().text;
    if (name == "cat") return simple.input;
    if (name != "echo" && name != "printf") return {};
    std::string printed;
    for (std::size_t i = 1; i < simple.words.size(); ++i) printed += simple.words[i].text + ' ';
    return printed + '\n';
  }

  // Takes the wrapper and its own words off. False: it runs nothing more.
  bool strip(const Wrapper& wrapper, std::vector<Word>& words, std::string& folder, int nesting) {
    std::size_t i = 1;
    while (i < words.size()) {
      const std::string& word = words[i].text;
      if (wrapper.name == "env" && !word.starts_with('-') && word.find('=') != std::string::npos) {
        ++i;
        continue;
      }
      if (word.size() < 2 || word.front() != '-') break;
      if (word == "--") {
        ++i;
        break;
      }
      if (wrapper.name == "env" && (word.starts_with("-S") || word == "--split-string")) {
        std::string rest = word.starts_with("-S") ? word.substr(2) : "";
        for (++i; i < words.size(); ++i) rest += ' ' + words[i].text;
        add_script(rest, folder, nesting + 1);
        return false;
      }
      if (wrapper.name == "command" && (word == "-v" || word == "-V")) return false;
      const bool is_long = word.starts_with("--");
      const bool has_value = is_long ? has_word(wrapper.long_with_value, word)
                                     : wrapper.with_value.find(word.back()) != std::string::npos;
      const bool is_folder = word == "-C" || word == "-D" || word == "--chdir";
      i += has_value ? 2 : 1;
      if (is_folder && i <= words.size() && wrapper.name != "doas") {
        folder = folder_behind(folder, words[i - 1]);
      }
    }
    i += wrapper.operands;
    if (i >= words.size()) {
      words.clear();
      return false;
    }
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }

  // The scripts that a shell is given.
  static std::vector<std::string> scripts_of(const Command& command) {
    std::vector<std::string> scripts;
    if (command.program == "eval") {
      std::string joined;
      for (const Word& word : command.words) joined += word.text + ' ';
      scripts.push_back(std::move(joined));
      return scripts;
    }
    if (!is_shell(command.program)) return scripts;
    bool takes_script = false;
    bool has_operand = false;
    for (const Word& word : command.words) {
      const bool is_flag = word.text.size() > 1 && word.text.front() == '-';
      if (is_flag && !word.text.starts_with("--")) {
        takes_script = takes_script || word.text.find('c') != std::string::npos;
      } else if (!is_flag) {
        has_operand = true;
        if (takes_script) scripts.push_back(word.text);
        break;
      }
    }
    if (!has_operand && !command.input.empty()) scripts.push_back(command.input);
    return scripts;
  }

  // `find … -exec rm -rf {} +`.
  void add_executed(const Command& command, int nesting) {
    for (std::size_t i = 0; i < command.words.size(); ++i) {
      const std::string& word = command.words[i].text;
      const bool runs = word == "-exec" || word == "-execdir" || word == "-ok" || word == "-okdir";
      if (!runs) continue;
      std::vector<Word> words;
      for (++i; i < command.words.size(); ++i) {
        const Word& next = command.words[i];
        if (next.text == ";" || next.text == "+") break;
        if (next.text == "{}") {
          // What is found lies in the folders that are searched.
          for (const Word& start : command.words) {
            if (start.text.starts_with('-') || start.text == "(" || start.text == "!") break;
            words.push_back({start.text + "/{}", start.is_certain});
          }
          continue;
        }
        words.push_back(next);
      }
      add_words(std::move(words), {}, {}, command.folder, {}, nesting + 1);
    }
  }
};

}  // namespace

bool Command::has_flag(char letter, std::string_view name) const {
  for (const Word& word : words) {
    const std::string_view text = word.text;
    if (text == "--") return false;
    if (text.starts_with("--")) {
      if (!name.empty() && text.substr(0, text.find('=')) == name) return true;
    } else if (letter != 0 && text.size() > 1 && text.front() == '-' &&
               text.find(letter) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

std::string Command::value_of(char letter, std::string_view name) const {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view text = words[i].text;
    const std::string next = i + 1 < words.size() ? words[i + 1].text : "";
    if (!name.empty() && text == name) return next;
    if (!name.empty() && text.starts_with(name) && text.size() > name.size() &&
        text[name.size()] == '=') {
      return std::string(text.substr(name.size() + 1));
    }
    if (letter != 0 && text.size() >= 2 && text[0] == '-' && text[1] == letter) {
      return text.size() > 2 ? std::string(text.substr(2)) : next;
    }
  }
  return {};
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
  if (typed.size() > kMostText)
    typed = std::string(store::first_code_points(typed, kMostText)) + "…";
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
  for (const std::string& text : argv) words.push_back({text, true});
  collector.add_words(std::move(words), {}, {}, std::string(folder), {}, 0);
  return std::move(collector.made);
}

}  // namespace spoor::audit::check
