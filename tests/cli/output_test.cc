#include "cli/terminal/output.h"

#include <doctest/doctest.h>

#include "cli/terminal/memory_terminal.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/width.h"

using namespace spoor;
using namespace spoor::cli;

TEST_SUITE("cli/output") {
  TEST_CASE("text is made visible, with and without a style") {
    MemoryTerminal terminal;
    Output out(terminal, Stream::out);
    out.print("\x1b[2J").print(Style::commit, "\x1b]0;").flush();
    CHECK(terminal.output == "\\x1b[2J\\x1b]0;");
  }

  TEST_CASE("raw text passes as it is") {
    MemoryTerminal terminal;
    Output out(terminal, Stream::out);
    out.use(false, true);
    out.print("\x1b[2J").flush();
    CHECK(terminal.output == "\x1b[2J");
  }

  TEST_CASE("a style is a colour only where there is colour") {
    MemoryTerminal terminal;
    Output out(terminal, Stream::out);
    out.print(Style::added, "a").flush();
    out.use(true, false);
    out.print(Style::added, "b").flush();
    CHECK(terminal.output == "a\x1b[32mb\x1b[0m");
  }

  TEST_CASE("each line is coloured by itself, so that any part can be shown alone") {
    MemoryTerminal terminal;
    Output out(terminal, Stream::out);
    out.use(true, false);
    out.print(Style::removed, "a\n\nb\n").flush();
    CHECK(terminal.output == "\x1b[31ma\x1b[0m\n\n\x1b[31mb\x1b[0m\n");
  }

  TEST_CASE("a reader who left closes the output, without an error") {
    MemoryTerminal terminal;
    terminal.reader_left = true;
    Output out(terminal, Stream::out);
    out.print("x").flush();
    CHECK(out.is_closed());
  }

  TEST_CASE("progress shows a bar that fits the terminal") {
    CHECK(progress_line("import", 5, 10, "a.jsonl", 80) ==
          "import [##########----------]  50%  a.jsonl");
    CHECK(display_width(progress_line("import", 5, 10, std::string(200, 'x'), 40)) <= 39);
  }

  TEST_CASE("progress says nothing where nobody looks") {
    MemoryTerminal terminal;
    Progress progress(terminal, "import");
    progress.update(1, 2, "");
    progress.clear();
    CHECK(terminal.errors.empty());
  }
}
