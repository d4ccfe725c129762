#include "audit/check/commands.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "audit/check/options.h"
#include "store/utf8.h"

namespace spoor::audit::check {
namespace {

constexpr int kMostNesting = 12;
constexpr std::size_t kMostUnclear = 8;
constexpr std::size_t kAll = static_cast<std::size_t>(-1);  // It runs no operand.
constexpr std::size_t kMostText = 200;

// A program that runs what comes behind it, and its flags that take a word.
struct Wrapper {
  std::string_view name;
  OptionKinds kinds;
  std::size_t operands = 0;      // Words of its own before the command.
  std::string_view verb = {};    // The first operand has to be this one: else it runs nothing.
  std::string_view script = {};  // A letter of the flag whose word is a script.
};
constexpr std::array kWrappers = {
    Wrapper{"sudo",
            {"ugpCDRTthr", "--user --group --prompt --chdir --host --role --type --close-from"}},
    Wrapper{"doas", {"uC", ""}},
    Wrapper{"env", {"uC", "--unset --chdir"}},
    Wrapper{"nohup", {}},
    Wrapper{"setsid", {}},
    Wrapper{"time", {"fo", "--format --output"}},
    Wrapper{"timeout", {"ks", "--kill-after --signal"}, 1},
    Wrapper{"gtimeout", {"ks", "--kill-after --signal"}, 1},
    Wrapper{"nice", {"n", "--adjustment"}},
    Wrapper{"ionice", {"cnpPu", "--class --classdata"}},
    Wrapper{"stdbuf", {"ioe", "--input --output --error"}},
    Wrapper{"xargs",
            {"IEnPdLsa",
             "--max-args --max-procs --delimiter --max-lines --max-chars --arg-file "
             "--process-slot-var"}},
    Wrapper{"parallel", {"jaNnIS", "--jobs --arg-file --max-args --sshlogin --joblog --tmpdir"}},
    Wrapper{"exec", {"a", ""}},
    Wrapper{"command", {}},
    Wrapper{"builtin", {}},
    Wrapper{"busybox", {}},
    Wrapper{"toybox", {}},
    Wrapper{"unbuffer", {}},
    Wrapper{"chronic", {}},
    Wrapper{"strace", {"eopSPuEaIOsX", ""}},
    Wrapper{"ltrace", {"eopSuanlsxFw", ""}},
    Wrapper{"watch", {"ndtq", "--interval"}},
    Wrapper{"flock", {"wEc", "--timeout --wait --conflict-exit-code --command"}, 1, {}, "c"},
    Wrapper{"setarch", {}},
    Wrapper{"linux32", {}},
    Wrapper{"linux64", {}},
    Wrapper{"unshare", {"SGRw", "--setuid --setgid --root --wd --propagation --map-users"}},
    Wrapper{"taskset", {}, 1},
    Wrapper{"chrt", {"TPD", "--sched-runtime --sched-period --sched-deadline"}, 1},
    Wrapper{"prlimit", {}},
    Wrapper{"valgrind", {}},
    Wrapper{"caffeinate", {"tw", ""}},
    Wrapper{"xvfb-run", {"efnswp", "--error-file --auth-file --server-num --server-args"}},
    Wrapper{"poetry", {"CP", "--directory --project"}, 0, "run"},
    Wrapper{"pipenv", {}, 0, "run"},
    Wrapper{"pdm", {"p", "--project"}, 0, "run"},
    Wrapper{"uv",
            {"p",
             "--directory --project --python --with --with-editable --with-requirements --extra "
             "--group --only-group --no-group --package --env-file"},
            0,
            "run"},
    Wrapper{"bundle", {}, 0, "exec"},
    Wrapper{"su", {"csgGw", "--command --shell --group --supp-group"}, kAll, {}, "c"},
    Wrapper{"runuser", {"cusgGw", "--command --user --shell --group"}, kAll, {}, "c"},
    Wrapper{"script", {"cEImBoO", "--command --echo --log-in --log-out --log-io"}, kAll, {}, "c"},
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

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && !word.starts_with('-');
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
    std::vector<std::vector<std::size_t>> users(script.commands.size());
    for (std::size_t i = 0; i < script.commands.size(); ++i) {
      const std::size_t by = script.commands[i].used_by;
      if (by < users.size()) users[by].push_back(i);
    }
    for (std::size_t i = 0; i < script.commands.size(); ++i) {
      const SimpleCommand& simple = script.commands[i];
      std::string& where = folder_of(simple.shell);
      Given given;
      given.redirects = simple.redirects;
      given.assigned = simple.assigned;
      given.input = simple.input;
      given.is_input_known = simple.is_input_certain;
      if (simple.piped_from != SimpleCommand::kNone) add_piped(script, simple, given);
      for (const std::size_t user : users[i]) add_feeders(script, user, given.fed_by);
      look_for_places(simple);
      add_words(simple.words, std::move(given), where, nesting);
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

  // What a command has beside its words.
  struct Given {
    std::vector<Redirect> redirects;
    std::vector<Word> assigned;
    std::string input;
    bool is_input_known = true;
    std::vector<std::string> fed_by;
  };

  void add_words(std::vector<Word> words, Given given, const std::string& folder, int nesting) {
    if (nesting > kMostNesting) {
      made.is_whole = false;
      return;
    }
    std::string where = folder;
    std::string last;  // The wrapper that was taken off.
    bool runs = true;
    while (runs && !words.empty() && words.front().is_certain) {
      const std::string name = base_name(words.front().text);
      const auto* wrapper = std::find_if(kWrappers.begin(), kWrappers.end(),
                                         [&](const Wrapper& w) { return w.name == name; });
      if (wrapper == kWrappers.end()) break;
      last = name;
      std::vector<Word> whole = words;
      runs = strip(*wrapper, words, given, where, nesting);
      // What runs nothing is a program as others are, where it has something to show.
      if (!runs && !wrapper->verb.empty()) words = std::move(whole);
    }
    Command command;
    command.redirects = std::move(given.redirects);
    command.assigned = std::move(given.assigned);
    command.input = std::move(given.input);
    command.is_input_known = given.is_input_known;
    command.folder = where;
    command.fed_by = std::move(given.fed_by);
    if (!words.empty()) {
      // One that is not known yet is shown as it is written.
      const Word& first = words.front();
      command.program = first.is_certain ? base_name(first.text) : first.text;
      command.words.assign(words.begin() + 1, words.end());
      if (!first.is_certain) {
        unclear(fmt::format("nobody can tell which program '{}' is", first.text));
      }
    } else if (!command.redirects.empty()) {
      command.program = last;
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
  // Where `$TMPDIR` and `$PWD` lead is known as long as a script leaves them alone.
  void look_for_places(const SimpleCommand& simple) {
    const bool exports = !simple.words.empty() && (simple.words.front().text == "export" ||
                                                   simple.words.front().text == "declare");
    std::vector<Word> assigned = simple.words.empty() ? simple.assigned : std::vector<Word>();
    if (exports) assigned = simple.words;
    for (const Word& word : assigned) {
      const std::string_view text = word.text;
      const std::string_view name = text.substr(0, text.find('='));
      const bool is_place =
          name.size() < text.size() &&
          (name == "TMPDIR" || name == "TMP" || name == "TEMP" || name == "PWD" || name == "HOME");
      if (is_place) unclear(fmt::format("nobody can tell what '{}' is from there on", name));
    }
  }

  void unclear(std::string why) {
    const bool is_known =
        std::find(made.unclear.begin(), made.unclear.end(), why) != made.unclear.end();
    if (!is_known && made.unclear.size() < kMostUnclear) made.unclear.push_back(std::move(why));
  }

  // What is piped into a command: by one, or by any of a group.
  static void add_piped(const Script& script, const SimpleCommand& simple, Given& given) {
    const bool is_group = simple.piped_since != SimpleCommand::kNone;
    const std::size_t since = is_group ? simple.piped_since : simple.piped_from;
    for (std::size_t i = since; i <= simple.piped_from; ++i) {
      add_feeders(script, i, given.fed_by);
      const SimpleCommand& before = script.commands[i];
      const auto printed = printed_by(before);
      given.input += printed.value_or("");
      if (!printed) given.is_input_known = false;
    }
  }

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
  static std::optional<std::string> printed_by(const SimpleCommand& simple) {
    if (simple.words.empty()) return std::nullopt;
    const std::string& name = simple.words.front().text;
    if (name == "cat" && simple.words.size() == 1 && simple.is_input_certain &&
        simple.piped_from == SimpleCommand::kNone && simple.redirects.empty()) {
      return simple.input;
    }
    if (name != "echo" && name != "printf") return std::nullopt;
    std::string printed;
    for (std::size_t i = 1; i < simple.words.size(); ++i) {
      const Word& word = simple.words[i];
      if (!word.is_certain || word.text.find('\\') != std::string::npos) {
        // `printf '%s\n' x` prints its words; another backslash may print anything.
        const bool is_format = i == 1 && word.is_certain && word.text == "%s\\n";
        if (!is_format) return std::nullopt;
        continue;
      }
      printed += word.text + ' ';
    }
    return printed + '\n';
  }

  // Takes the wrapper and its own words off. False: it runs nothing more.
  bool strip(const Wrapper& wrapper, std::vector<Word>& words, Given& given, std::string& folder,
             int nesting) {
    const std::string name(wrapper.name);
    std::vector<Word> rest(words.begin() + 1, words.end());
    if (name == "env") {
      for (std::size_t i = 0; i < rest.size() && rest[i].text.starts_with('-'); ++i) {
        if (!take_split(rest, i, folder, nesting)) continue;
        words.clear();
        return false;
      }
    }
    const Options options = options_of(rest, wrapper.kinds, wrapper.operands != kAll);
    for (const Option& option : options.options) {
      const bool is_folder = option.name == "-C" || option.name == "-D" || option.name == "--chdir";
      if (is_folder && option.value && (name == "env" || name == "sudo")) {
        folder = folder_behind(folder, *option.value);
      }
      const bool is_output = option.name == "-o" || option.name == "--output";
      if (is_output && option.value && (name == "time" || name == "strace" || name == "ltrace")) {
        given.redirects.push_back({">", *option.value});
      }
      const bool only_shows = name == "command" && (option.name == "-v" || option.name == "-V");
      if (only_shows) {
        words.clear();
        return false;
      }
    }
    std::vector<Word> operands = options.operands;
    const bool may_assign = name == "env" || name == "sudo" || name == "doas";
    while (may_assign && !operands.empty() && is_assignment(operands.front().text)) {
      given.assigned.push_back(operands.front());
      operands.erase(operands.begin());
    }
    if (!wrapper.script.empty()) {
      // `flock F -c X`: behind the operand.
      const Options all = options_of(rest, wrapper.kinds);
      const auto scripts = all.values_of(wrapper.script.front(), "--command");
      const bool is_own = wrapper.operands == kAll || operands.size() < 2 ||
                          operands[1].text == "-c" || operands[1].text == "--command";
      for (const Word& script : scripts) {
        if (is_own) add_given_script(script, folder, nesting);
      }
      if (name == "script" && !operands.empty()) {
        given.redirects.push_back({">", operands.front()});
      }
      if (wrapper.operands == kAll || (is_own && !scripts.empty())) {
        words.clear();
        return false;
      }
    }
    std::size_t skipped = wrapper.operands;
    if (!wrapper.verb.empty()) {
      if (operands.empty() || operands.front().text != wrapper.verb) return false;
      skipped = 1;
    }
    const bool is_machine = name == "setarch" && !operands.empty() &&
                            operands.front().text.find_first_of("3468") != std::string::npos;
    if (is_machine) skipped = 1;
    operands.erase(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(
                                                            std::min(skipped, operands.size())));
    const bool has_more = is_machine || !wrapper.verb.empty() || name == "flock";
    if (has_more && !operands.empty() && operands.front().text.starts_with('-')) {
      operands = options_of(operands, wrapper.kinds, true).operands;
    }
    if (name == "watch" && operands.size() == 1) {
      add_given_script(operands.front(), folder, nesting);
      operands.clear();
    }
    if (!operands.empty() && (name == "xargs" || name == "parallel")) {
      add_read_words(options, name, given, operands);
    }
    words = std::move(operands);
    return !words.empty();
  }

  // `env -S 'rm a' b`: one word of which a command is made.
  bool take_split(const std::vector<Word>& rest, std::size_t at, const std::string& folder,
                  int nesting) {
    const std::string& word = rest[at].text;
    const std::size_t letter = word.starts_with("--") ? std::string::npos : word.find('S');
    const bool is_long = word.starts_with("--split-string");
    if (letter == std::string::npos && !is_long) return false;
    const std::size_t equals = word.find('=');
    std::string text = !is_long                      ? word.substr(letter + 1)
                       : equals != std::string::npos ? word.substr(equals + 1)
                                                     : "";
    for (std::size_t i = at + 1; i < rest.size(); ++i) text += ' ' + rest[i].text;
    add_script(text, folder, nesting + 1);
    return true;
  }

  // The words that `xargs` reads: known where what it reads is.
  static void add_read_words(const Options& options, const std::string& name, const Given& given,
                             std::vector<Word>& operands) {
    std::vector<Word> read;
    const auto separator = std::find_if(operands.begin(), operands.end(), [&](const Word& word) {
      return name == "parallel" && (word.text == ":::" || word.text == "::::");
    });
    const bool is_listed = separator != operands.end() && separator->text == ":::";
    if (is_listed) {
      read.assign(separator + 1, operands.end());
    } else if (given.is_input_known && !given.input.empty() && !options.has('a', "--arg-file") &&
               separator == operands.end()) {
      std::string text;
      for (const char c : given.input + ' ') {
        const bool ends = c == ' ' || c == '\n' || c == '\t';
        if (!ends && c != '\'' && c != '"') text += c;
        if (ends && !text.empty()) read.push_back({std::exchange(text, {})});
      }
    } else {
      read.push_back({"{}", false});
    }
    operands.erase(separator, operands.end());
    std::string place = name == "parallel" ? "{}" : "";
    for (const Word& word : options.values_of('I', "--replace")) place = word.text;
    const bool has_plain = options.has('i', "--replace");
    if (place.empty() && has_plain) place = "{}";
    const bool is_placed =
        !place.empty() && std::any_of(operands.begin(), operands.end(), [&](const Word& word) {
          return word.text.find(place) != std::string::npos;
        });
    if (!is_placed) {
      operands.insert(operands.end(), read.begin(), read.end());
      return;
    }
    std::vector<Word> placed;
    for (const Word& word : operands) {
      const std::size_t at = word.text.find(place);
      if (at == std::string::npos) {
        placed.push_back(word);
        continue;
      }
      for (const Word& each : read) {
        std::string text = word.text;
        text.replace(at, place.size(), each.text);
        placed.push_back({std::move(text), word.is_certain && each.is_certain});
      }
    }
    operands = std::move(placed);
  }

  // A script that a word is. Where a variable is part of it, it may hold anything.
  void add_given_script(const Word& script, const std::string& folder, int nesting) {
    if (!script.is_certain) unclear("nobody can tell which script runs: it is made of variables");
    add_script(script.text, folder, nesting + 1);
  }

  // The scripts that a shell is given.
  std::vector<std::string> scripts_of(const Command& command) {
    std::vector<std::string> scripts;
    const auto add = [&](const Word& script) {
      if (!script.is_certain) unclear("nobody can tell which script runs: it is made of variables");
      scripts.push_back(script.text);
    };
    const auto add_input = [&] {
      if (!command.is_input_known) {
        unclear(fmt::format("nobody can tell which script '{}' reads", command.program));
      }
      if (!command.input.empty()) scripts.push_back(command.input);
    };
    const std::string& name = command.program;
    if (name == "eval") {
      Word joined;
      for (const Word& word : command.words) {
        joined.text += word.text + ' ';
        joined.is_certain = joined.is_certain && word.is_certain;
      }
      add(joined);
    } else if (name == "trap") {
      const std::vector<Word> operands = command.operands();
      if (operands.size() > 1) add(operands.front());
    } else if (name == "alias") {
      for (const Word& word : command.words) {
        const std::size_t equals = word.text.find('=');
        if (equals == std::string::npos) continue;
        add({word.text.substr(equals + 1), word.is_certain});
      }
    } else if (name == "source" || name == ".") {
      if (!command.words.empty()) add_file(command, command.words.front(), add_input);
    } else if (is_shell(name)) {
      const Options options = options_of_shell(command.words);
      const bool has_script = options.has('c', "") && !options.operands.empty();
      const bool reads = options.has('s', "") || options.operands.empty();
      if (has_script) {
        add(options.operands.front());
      } else if (reads) {
        add_input();
      } else {
        add_file(command, options.operands.front(), add_input);
      }
    } else if (is_code_reader(name) && !command.is_input_known && command.operands().empty() &&
               command.words.empty()) {
      unclear(fmt::format("nobody can tell which program '{}' reads", name));
    }
    return scripts;
  }

  static bool is_code_reader(std::string_view name) {
    return name.starts_with("python") || name == "perl" || name == "ruby" || name == "node" ||
           name == "php";
  }

  // A script that lies in a file is a program as others are; not so what is made on the way.
  template <class AddInput>
  void add_file(const Command& command, const Word& file, const AddInput& add_input) {
    if (file.text == "/dev/stdin" || file.text == "/dev/fd/0" || file.text == "-" ||
        file.text == "/proc/self/fd/0") {
      add_input();
    } else if (file.text.starts_with("<(")) {
      unclear(fmt::format("nobody can tell which script '{}' reads", command.program));
    }
  }

  // `bash -euo pipefail +e --rcfile F -c X`: each `o` takes a word, wherever in its cluster it is.
  // Source: the manual of bash 5.2, chapter 6.1; POSIX.1-2017, sh.
  static Options options_of_shell(const std::vector<Word>& words) {
    Options made;
    std::size_t i = 0;
    for (; i < words.size(); ++i) {
      const std::string& text = words[i].text;
      if (text == "--" || text == "-") {
        ++i;
        break;
      }
      if (text.size() < 2 || (text.front() != '-' && text.front() != '+')) break;
      if (text.starts_with("--")) {
        made.options.push_back({text, std::nullopt});
        if (text == "--rcfile" || text == "--init-file") ++i;
        continue;
      }
      for (const char c : text.substr(1)) {
        if (text.front() == '-') made.options.push_back({std::string("-") + c, std::nullopt});
        if (c == 'o' || c == 'O') ++i;
      }
    }
    for (; i < words.size(); ++i) made.operands.push_back(words[i]);
    return made;
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
      add_words(std::move(words), {}, command.folder, nesting + 1);
    }
  }
};

}  // namespace

bool Command::has_flag(char letter, std::string_view name) const {
  for (const Word& word : words) {
    const std::string_view text = word.text;
    if (text == "--") return false;
    if (text.starts_with("--")) {
      // A name may be shortened: `--recurs`.
      const std::string_view given = text.substr(0, text.find('='));
      if (given.size() > 2 && name.starts_with(given)) return true;
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
    std::string next = i + 1 < words.size() ? words[i + 1].text : "";
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
  words.reserve(argv.size());
  for (const std::string& text : argv) words.push_back({text, true});
  collector.add_words(std::move(words), {}, std::string(folder), 0);
  return std::move(collector.made);
}

}  // namespace spoor::audit::check
