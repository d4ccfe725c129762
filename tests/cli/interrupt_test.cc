// Ctrl-C in a session: whatever reads is stopped, and the session goes on.
#include <csignal>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "cli/terminal/interrupt.h"
#include "tests/cli/program.h"
#include "tests/support/holds.h"

using spoor::test::Program;
namespace cli = spoor::cli;

namespace {

using spoor::testing::holds;

}  // namespace

TEST_SUITE("cli/interrupt") {
  TEST_CASE("every command that reads a history ends with 130, and works again afterwards") {
    Program spoor;
    spoor.make_history();
    spoor({"branch", "side", "HEAD~2"});
    cli::install_interrupt_handler();
    const std::vector<std::vector<std::string>> commands = {
        {"compile"},
        {"pprint"},
        {"log"},
        {"log", "--json"},
        {"log", "--graph", "--all"},
        {"why", "files"},
        {"blame"},
        {"search", "files"},
        {"search", "--query", "files"},
        {"reasoning"},
        {"diff", "HEAD~3", "HEAD"},
        {"show"},
        {"stats"},
        {"versions", "HEAD~1"},
        {"bisect", "--good", "HEAD~6", "--", "false"},
        {"export", "--markdown"},
        {"rebase", "side"},
        {"amend", "something else"},
    };
    for (const auto& command : commands) {
      CAPTURE(command[0]);
      const std::string log = spoor.out({"log", "--oneline", "--all-commits"});
      {
        const cli::OutlivesInterrupts session;
        std::raise(SIGINT);
        const auto stopped = spoor(command);
        CHECK(stopped.status == 130);
        CHECK(holds(stopped.err, "error: interrupted"));
      }
      CHECK(spoor.out({"log", "--oneline", "--all-commits"}) == log);
      CHECK(spoor(command).status != 130);
      spoor({"undo"});  // Of those that write.
      spoor({"redo"});
    }
    std::signal(SIGINT, SIG_DFL);
  }

  TEST_CASE("a session goes on with its next line") {
    Program spoor;
    spoor.make_history();
    cli::install_interrupt_handler();
    // The judge's parent is this process.
    const auto seen = spoor({}, "bisect --scan --good HEAD~6 -- sh -c 'kill -INT $PPID'\nstatus\n");
    CHECK(holds(seen.err, "stdin:1: interrupted"));
    CHECK(holds(seen.out, "On branch main"));
    CHECK(seen.status == 130);
    std::signal(SIGINT, SIG_DFL);
  }
}
