#include "cli/application.h"

#include <doctest/doctest.h>

#include "cli/commands.h"
#include "cli/help/complete.h"
#include "cli/help/help.h"
#include "cli/settings/fixed_clock.h"
#include "cli/terminal/memory_terminal.h"
#include "cli/terminal/width.h"
#include "tests/cli/program.h"

using namespace spoor;
using namespace spoor::cli;

namespace {

// One run of the program against a terminal that remembers.
struct Run {
  MemoryTerminal terminal;
  MapEnvironment environment;
  FixedClock clock{spoor::Timestamp{1'900'000'000'000'000}};

  int operator()(const std::vector<std::string>& words) {
    return run_command_line({terminal, environment, clock}, words);
  }
};

}  // namespace

TEST_SUITE("cli/application") {
  TEST_CASE("no words at all run standard input as a script") {
    Run run;
    run.terminal.input = "help\n";
    CHECK(run({}) == kExitOk);
    CHECK(run.terminal.output.find("usage: spoor") != std::string::npos);
    Run nothing;
    CHECK(nothing({}) == kExitOk);
    CHECK(nothing.terminal.output.empty());
  }

  TEST_CASE("a wrong verb is a usage error, suggested and never run") {
    Run run;
    CHECK(run({"hlep"}) == kExitUsage);
    CHECK(run.terminal.errors ==
          "error: unknown command 'hlep'\nhint: did you mean 'spoor help'?\n");
    CHECK(run.terminal.output.empty());
  }

  TEST_CASE("a wrong option is a usage error") {
    Run run;
    CHECK(run({"version", "--colour"}) == kExitUsage);
    CHECK(run.terminal.errors.find("did you mean '--color'?") != std::string::npos);
  }

  TEST_CASE("--help and --version work on both sides of the verb") {
    Run before;
    Run after;
    CHECK(before({"--help", "version"}) == kExitOk);
    CHECK(after({"version", "-h"}) == kExitOk);
    CHECK(before.terminal.output == after.terminal.output);
    Run version;
    CHECK(version({"--version"}) == kExitOk);
    CHECK(version.terminal.output.starts_with("spoor "));
  }

  TEST_CASE("colour: the flag, then NO_COLOR, then whether a person looks") {
    const auto has_color = [](bool tty, const char* no_color, std::vector<std::string> words) {
      Run run;
      run.terminal.tty = tty;
      if (no_color != nullptr) run.environment.variables["NO_COLOR"] = no_color;
      run(words);
      return run.terminal.output.find("\x1b[") != std::string::npos;
    };
    CHECK(!has_color(false, nullptr, {"help"}));
    CHECK(has_color(true, nullptr, {"help"}));
    CHECK(!has_color(true, "1", {"help"}));
    CHECK(has_color(true, "", {"help"}));
    CHECK(has_color(true, "1", {"help", "--color=always"}));
    CHECK(!has_color(true, nullptr, {"--color", "never", "help"}));
  }

  TEST_CASE("the pager: only for a person, by variable, and not when switched off") {
    const auto pager = [](bool tty, std::map<std::string, std::string> variables,
                          std::vector<std::string> words) {
      Run run;
      run.terminal.tty = tty;
      run.environment.variables = std::move(variables);
      run(words);
      return run.terminal.pager;
    };
    CHECK(pager(true, {}, {"help"}) == "less");
    CHECK(pager(false, {}, {"help"}).empty());
    CHECK(pager(true, {}, {"version"}).empty());
    CHECK(pager(true, {{"PAGER", "more"}}, {"help"}) == "more");
    CHECK(pager(true, {{"PAGER", "more"}, {"SPOOR_PAGER", "most"}}, {"help"}) == "most");
    CHECK(pager(true, {{"SPOOR_PAGER", ""}}, {"help"}).empty());
    CHECK(pager(true, {{"SPOOR_PAGER", "cat"}}, {"help"}).empty());
    CHECK(pager(true, {}, {"help", "--no-pager"}).empty());
  }
}

TEST_SUITE("cli/table") {
  TEST_CASE(
      "help lists at most 25 commands, help --all every one, help --schema a result's shape") {
    spoor::test::Program spoor;
    const auto listed = [](const std::string& page) {
      std::size_t count = 0;
      for (const Command* command : all_commands()) {
        count += page.find("\n  " + std::string(command->name) + " ") != std::string::npos ? 1 : 0;
      }
      return count;
    };
    CHECK(listed(spoor.out({"help"})) == 25);
    CHECK(listed(spoor.out({"help", "--all"})) == all_commands().size());
    CHECK(spoor.out({"help", "cost", "--schema"}).starts_with("{\n  \"$schema\""));
    CHECK(spoor({"help", "gc", "--schema"}).status == 1);
  }

  TEST_CASE("an old name works, and its new one is named") {
    spoor::test::Program spoor;
    spoor.out({"init"});
    const auto old = spoor({"fsck"});
    CHECK(old.status == 0);
    CHECK(old.out == spoor.out({"store", "fsck"}));
    CHECK(old.err == "note: 'fsck' is now 'store fsck'; the old name works in this release\n");
    CHECK(spoor({"--no-pager", "fsck"}).err == old.err);
    CHECK(spoor({"store", "fsck"}).err.empty());
    CHECK(spoor.out({"help", "gc"}) == spoor.out({"help", "store", "gc"}));
    CHECK(spoor.out({"store", "gc", "--help"}) == spoor.out({"help", "store", "gc"}));
    CHECK(spoor({"store", "fsk"}).status == 2);
    CHECK(spoor({"store", "fsk"}).err.find("did you mean 'spoor store fsck'?") !=
          std::string::npos);
  }

  TEST_CASE("every command has a summary without a full stop, and a page") {
    for (const Command* command : all_commands()) {
      CAPTURE(command->name);
      const std::string summary = command->summary;
      CHECK(!summary.empty());
      CHECK(summary.back() != '.');
      CHECK(man_page(*command).starts_with(".TH \"spoor-"));
    }
  }

  // What is to be copied may be longer.
  TEST_CASE("help fits into 80 columns, but for the commands that it quotes") {
    const auto check = [](const std::vector<std::string>& words, std::string_view quoted) {
      CAPTURE(words.back());
      Run run;
      CHECK(run(words) == kExitOk);
      std::string_view rest = run.terminal.output;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string line(rest.substr(0, end));
        CAPTURE(line);
        CHECK((display_width(line) <= 80 || quoted.find(line.substr(2)) != std::string_view::npos));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    };
    check({"help"}, "");
    check({"help", "revisions"}, "");
    for (const Command* command : all_commands()) {
      std::string quoted;
      for (const Example& example : command->examples) quoted.append(example.command).append("\n");
      check({"help", command->name}, quoted);
    }
  }

  TEST_CASE("options are long, help is a lower-case phrase, letters are unique") {
    for (const Command* command : all_commands()) {
      CAPTURE(command->name);
      std::string letters;
      for (const Option& option : global_options()) {
        if (option.letter != 0) letters += option.letter;
      }
      for (const Option& option : command->options) {
        CAPTURE(option.name);
        CHECK((option.is_positional() || std::string_view(option.name).starts_with("--")));
        CHECK(std::string_view(option.help).back() != '.');
        if (option.letter == 0) continue;
        CHECK(letters.find(option.letter) == std::string::npos);
        letters += option.letter;
      }
    }
  }
}

TEST_SUITE("cli/complete") {
  std::string completed(std::vector<std::string> words) {
    Run run;
    words.insert(words.begin(), "__complete");
    run(words);
    std::string texts;
    for (const char c : run.terminal.output) texts += c;
    return texts;
  }

  TEST_CASE("verbs by their beginning") { CHECK(completed({"sessio"}).starts_with("sessions\t")); }

  TEST_CASE("a group lists its commands, to help too") {
    CHECK(completed({"sto"}).starts_with("store\t"));
    CHECK(completed({"store", "fs"}).starts_with("fsck\t"));
    CHECK(completed({"help", "store", "fs"}).starts_with("fsck\t"));
    CHECK(completed({"store", "gc", "--pru"}).starts_with("--prune\t"));
    CHECK(completed({"gc", "--pru"}).starts_with("--prune\t"));
    CHECK(completed({"help", "fs"}).empty());
  }

  TEST_CASE("options of the verb and of every command") {
    CHECK(completed({"help", "--comp"}) ==
          "--completion\tprint the completion script of a shell\n");
    CHECK(completed({"help", "--col"}).starts_with("--color\t"));
  }

  TEST_CASE("choices, as a word of their own and behind an equals sign") {
    CHECK(completed({"help", "--color", "a"}) == "auto\nalways\n");
    CHECK(completed({"help", "--color=a"}) == "--color=auto\n--color=always\n");
    CHECK(completed({"--split-at-equals", "help", "--color", "=", "a"}) == "auto\nalways\n");
  }

  TEST_CASE("a place for a file is left to the shell") {
    CHECK(completed({"help", "--man", ""}) == "//path\n");
  }

  TEST_CASE("each shell has a script") {
    for (const char* shell : {"bash", "zsh", "fish"}) CHECK(!completion_script(shell).empty());
    CHECK(completion_script("tcsh").empty());
  }
}
