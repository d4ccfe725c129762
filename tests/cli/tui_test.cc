#include <deque>
#include <random>

#include <doctest/doctest.h>

#include "cli/tui/browser.h"
#include "cli/tui/text.h"
#include "tests/cli/program.h"

namespace spoor::test {
namespace {

using cli::tui::Browser;
using cli::tui::Key;
using cli::tui::Line;
using cli::tui::ScreenPosition;
using cli::tui::Text;
namespace keys = cli::tui::keys;

/// A screen in memory: keys that are typed, and what was shown.
struct MemoryScreen final : cli::tui::Screen {
  int height = 24, width = 80;
  std::deque<Key> typed;
  std::vector<Line> frame;
  std::string copied;
  std::size_t frames = 0;
  std::function<void()> before_wait = [] {};

  int rows() const override { return height; }
  int columns() const override { return width; }
  void show(const std::vector<Line>& lines, std::optional<ScreenPosition> cursor) override {
    frame = lines;
    ++frames;
    REQUIRE(lines.size() == static_cast<std::size_t>(height));
    for (const Line& line : lines) {
      REQUIRE(cli::tui::width_of(line) == width);
      for (const char c : cli::tui::text_of(line)) REQUIRE(static_cast<unsigned char>(c) >= ' ');
    }
    if (cursor) REQUIRE((cursor->row < height && cursor->column < width));
  }
  // Leaves when there is nothing more to type. A key of 0 is a moment without one.
  std::optional<Key> next(std::chrono::milliseconds most) override {
    if (most.count() == 0) return std::nullopt;
    before_wait();
    if (typed.empty()) return keys::closed;
    const Key key = typed.front();
    typed.pop_front();
    return key == 0 ? std::nullopt : std::optional(key);
  }
  void copy(std::string_view text) override { copied = text; }

  std::string text() const {
    std::string all;
    for (const Line& line : frame) all += cli::tui::text_of(line) + '\n';
    return all;
  }
  bool says(std::string_view what) const { return text().find(what) != std::string::npos; }
};

/// Types keys into the browser of a program's store, then shows the screen before it was left.
struct Person {
  Program& program;
  MemoryScreen screen;

  void type(std::u32string_view typed, std::string_view revision = {}) {
    screen.typed.assign(typed.begin(), typed.end());
    cli::MemoryTerminal terminal;
    Browser browser(screen, {terminal, program.environment, program.clock}, {});
    const auto opened = browser.open(revision);
    REQUIRE_MESSAGE(opened.has_value(), opened.error().message);
    REQUIRE(browser.run().has_value());
  }
};

}  // namespace

TEST_SUITE("tui") {
  TEST_CASE("a text keeps its looks, and every other sequence is dropped") {
    Text text("\x1b[1;34muser\x1b[0m said\x1b]0;owned\x07 \x1b[2Jno\tx\n\nlast");
    text.lay_out(80);
    REQUIRE(text.rows() == 3);
    const Line first = text.row(0);
    CHECK(first[0].text == "user");
    CHECK(first[0].look == cli::tui::Look{.color = 4, .bold = true});
    CHECK(first[1].look == cli::tui::Look{});
    CHECK(cli::tui::text_of(first).find('\x1b') == std::string::npos);
    CHECK(cli::tui::text_of(text.row(1)).empty());
    CHECK(cli::tui::text_of(text.row(2)) == "last");
  }

  TEST_CASE("rows break at blanks, and go on with the indentation of their line") {
    Text text("    one two three four\nwithoutanyblank\n日本語日本語");
    text.lay_out(12);
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < text.rows(); ++i) rows.push_back(cli::tui::text_of(text.row(i)));
    CHECK(rows == std::vector<std::string>{"    one two", "    three", "    four", "withoutanybl",
                                           "ank", "日本語日本語"});
    text.lay_out(5);
    CHECK(cli::tui::text_of(text.row(text.rows() - 1)) == "本語");  // Five columns have two.
  }

  TEST_CASE("no text is lost in rows, and none is wider than it may be") {
    std::mt19937 random(20261130);
    const std::string_view pieces[] = {"a",  " ", "  ", "word",       "\n",
                                       "日", "é", "\t", "longerword", "👩‍👩‍👧"};
    for (int round = 0; round < 300; ++round) {
      std::string printed;
      for (int i = 0; i < 60; ++i) printed += pieces[random() % std::size(pieces)];
      Text text(printed);
      const int columns = 2 + static_cast<int>(random() % 30);
      text.lay_out(columns);
      std::string shown, wanted;
      for (std::size_t i = 0; i < text.rows(); ++i) {
        CHECK(cli::tui::width_of(text.row(i)) <= columns);
        shown += cli::tui::text_of(text.row(i));
      }
      std::erase(shown, ' ');
      for (const char c : printed) {
        if (c != ' ' && c != '\t' && c != '\n') wanted += c;
      }
      CHECK(shown == wanted);
    }
  }

  TEST_CASE("one end of a long output is kept, in whole lines") {
    bool is_obsolete = false;
    cli::tui::PaneTerminal terminal([&] { return is_obsolete; });
    const std::size_t most = cli::tui::PaneTerminal::kMost;
    for (const bool keeps_end : {false, true}) {
      terminal.begin(80, keeps_end);
      std::size_t lines = 0;
      while (lines * 100 < 3 * most) {
        const std::string line = std::to_string(lines++);
        if (!terminal.write(cli::Stream::out, line + std::string(99 - line.size(), '.') + '\n'))
          break;
      }
      const std::string& printed = terminal.printed();
      CHECK(terminal.is_cut());
      CHECK_FALSE(terminal.is_ended());
      CHECK(printed.size() % 100 == 0);
      CHECK(printed.size() >= most - 100);
      CHECK(printed.size() <= 2 * most + 100);
      CHECK(printed.starts_with("0.") == !keeps_end);
      const bool has_last = printed.find('\n' + std::to_string(lines - 1) + '.') < printed.size();
      CHECK(has_last == keeps_end);
    }
    is_obsolete = true;
    terminal.begin(80, true);
    CHECK_FALSE(terminal.write(cli::Stream::out, "x"));
    CHECK(terminal.is_ended());
  }

  TEST_CASE("a capital in what is looked for makes case count") {
    CHECK(cli::tui::contains("The Cart", "cart"));
    CHECK(cli::tui::contains("The Cart", "Cart"));
    CHECK_FALSE(cli::tui::contains("the cart", "Cart"));
    CHECK_FALSE(cli::tui::contains("the cart", "carts"));
  }

  TEST_CASE("from the sessions to a turn, its thinking, the prompt, and back") {
    Program program;
    program.make_history();
    Person person{program, {}};
    person.type(U"");
    CHECK(person.screen.says("sessions"));
    CHECK(person.screen.says("list the files"));
    CHECK(person.screen.says("spoor log main -n 100"));

    person.type(U"\n:4\n");
    CHECK(person.screen.says("4/8"));
    CHECK(person.screen.says("→ ls c1"));
    person.type(U"\n:4\nt");
    CHECK(person.screen.says("ls will do"));
    person.type(U"\n:6\nd");
    CHECK(person.screen.says("spoor diff"));
    CHECK(person.screen.says("+ two files: a.txt and b.txt"));
    person.type(U"\n:3\np\n");
    CHECK(person.screen.says("list the files"));
    CHECK_FALSE(person.screen.says("b.txt"));  // That came later.
    person.type(U"\n:2\ni");
    CHECK(person.screen.says("commit "));
    CHECK(person.screen.says("ada"));
    person.type(U"\nq");
    CHECK(person.screen.says("spoor log main"));
  }

  TEST_CASE("marks of later commits are shown with their turn") {
    Program program;
    program.make_history();
    Person person{program, {}};
    person.type(U"\ng");
    CHECK(person.screen.says("user        pinned  list the files"));
    CHECK(person.screen.says("assistant   edited"));
  }

  TEST_CASE("a commit opens its branch with the cursor on it; a mark is what diff compares with") {
    Program program;
    program.make_history();
    Person person{program, {}};
    person.type(U"", "main~3");
    CHECK(person.screen.says("5/8"));
    person.type(U"gv:6\nd\n", "main~3");
    CHECK(person.screen.says("+ two files: a.txt and b.txt"));
    CHECK(person.screen.says("+ a.txt"));  // Unlike without the mark, all since the first turn.
  }

  TEST_CASE("finding goes on from the cursor, and round") {
    Program program;
    program.make_history();
    Person person{program, {}};
    person.type(U"\ng/two files\n");
    CHECK(person.screen.says("6/8"));
    person.type(U"\n/be brief\n");
    CHECK(person.screen.says("1/8"));
    person.type(U"\n/a.txt\nn");
    CHECK(person.screen.says("6/8"));
    person.type(U"\n/nowhere\n");
    CHECK(person.screen.says("'nowhere' is in none of these"));
  }

  TEST_CASE("a typed command runs, and the lists follow") {
    Program program;
    program.make_history();
    Person person{program, {}};
    person.type({U"\n:6\n:pin % kept\n\0", 17});
    CHECK(person.screen.says("spoor pin "));
    CHECK(person.screen.says("(undo: spoor undo)"));
    CHECK(person.screen.says("/9"));  // The annotation is a commit, too.
    person.type(U":with claude\n");
    CHECK(person.screen.says("'with' does not run in here"));
    person.type(U":frobnicate\n");
    CHECK(person.screen.says("error:"));
    person.type(U":show 'open\n");
    CHECK(person.screen.says("a quote is not closed"));
    person.type(U":status\nq");
    CHECK(person.screen.says("spoor log main"));
  }

  TEST_CASE("turns that another process writes appear, and the last row stays the last") {
    Program program;
    program.make_history();
    Person person{program, {}};
    int waits = 0;
    person.screen.typed = {};
    person.screen.before_wait = [&] {
      if (++waits == 2) program({"user", "and now something else"});
    };
    person.type({U"\n\0", 2});
    CHECK(person.screen.says("9/9"));
    CHECK(person.screen.says("and now something else"));
  }

  TEST_CASE("the name of a commit is copied whole") {
    Program program;
    program.make_history();
    Person person{program, {}};
    person.type(U"\n:2\ny");
    CHECK(person.screen.copied.size() == 64);
    CHECK(program.out({"show", person.screen.copied, "--text"}).find("list the files") == 0);
  }

  TEST_CASE("an empty store says what to do") {
    Program program;
    program({"init"});
    Person person{program, {}};
    person.type(U"jGk\nbvny{}tdl/x\n");
    CHECK(person.screen.says("nothing here yet"));
  }

  TEST_CASE("hostile text stays text") {
    Program program;
    program({"init"});
    program({"user", "\x1b[2J\x1b]52;c;b3duZWQ=\x07\rgone\xe2\x80\xae\xff"});
    Person person{program, {}};
    person.type(U"\n");
    CHECK(person.screen.says("\\x1b[2J"));
    CHECK(person.screen.says("<U+202E>"));
    person.type(U"\np");
    person.type(U"\n/\x1b[2J\n");
  }

  // Whatever is typed on whatever screen: no error, and each frame fills the screen exactly.
  TEST_CASE("random keys on screens of random sizes") {
    Program program;
    program.make_history();
    const std::u32string_view likely =
        U"jkgGnN{}JKqQbv[]tsdpilyhx? \t\n/:a1%\u0003\u0004\u0015\x1b\x7f";
    std::mt19937 random(20261130);
    for (int round = 0; round < 40; ++round) {
      Person person{program, {}};
      std::u32string typed;
      for (int i = 0; i < 60; ++i) {
        const Key special = keys::up + static_cast<Key>(random() % 10);
        typed += random() % 4 == 0 ? special : likely[random() % likely.size()];
      }
      person.screen.before_wait = [&] {
        if (random() % 8 != 0) return;
        person.screen.height = 1 + static_cast<int>(random() % 50);
        person.screen.width = 1 + static_cast<int>(random() % 200);
      };
      person.type(typed);
      CHECK(person.screen.frames > 0);
    }
  }
}

}  // namespace spoor::test
