#include "cli/repl/typed_command.h"

#include <doctest/doctest.h>

using namespace spoor;
using namespace spoor::cli;
using Is = TypedCommand::Is;
using Texts = std::vector<std::string>;

namespace {

TypedCommand without_model(std::string_view text) { return read_command(text, false); }
TypedCommand with_model(std::string_view text) { return read_command(text, true); }

}  // namespace

TEST_SUITE("cli/typed_command") {
  TEST_CASE("without a model a bare verb is a command, and a slash changes nothing") {
    CHECK(without_model("log -n 3").words == Texts{"log", "-n", "3"});
    CHECK(without_model("/log -n 3").words == Texts{"log", "-n", "3"});
    CHECK(without_model("  log").words == Texts{"log"});
  }

  TEST_CASE("with a model a line without a slash is a turn, even one that begins with a verb") {
    CHECK(with_model("log the error, please").is == Is::turn);
    CHECK(with_model("  indented").is == Is::turn);
    CHECK(with_model("-").is == Is::turn);
    CHECK(with_model("it's 'open").is == Is::turn);
    CHECK(!with_model("it's 'open").is_open);
    CHECK(with_model("/log").words == Texts{"log"});
    CHECK(with_model(" /log").words == Texts{"log"});
  }

  TEST_CASE("blank lines and remarks are nothing") {
    CHECK(without_model("").is == Is::nothing);
    CHECK(without_model(" \n ").is == Is::nothing);
    CHECK(without_model("# a remark").is == Is::nothing);
    CHECK(with_model("   ").is == Is::nothing);
  }

  TEST_CASE("the program's name in front is dropped: hints can be typed as they stand") {
    CHECK(without_model("spoor branch --force main 3f2a91c4").words ==
          Texts{"branch", "--force", "main", "3f2a91c4"});
    CHECK(without_model("spoor").words == Texts{"spoor"});
  }

  TEST_CASE("prose is the rest of the text, as it stands") {
    CHECK(without_model("user What's wrong?").words == Texts{"user", "--", "What's wrong?"});
    CHECK(without_model("user  two  blanks ").words == Texts{"user", "--", "two  blanks "});
    CHECK(without_model("user # a heading\n- and --help").words ==
          Texts{"user", "--", "# a heading\n- and --help"});
    CHECK(without_model("edit HEAD~1 It's `x`, not \"y").words ==
          Texts{"edit", "HEAD~1", "--", "It's `x`, not \"y"});
    CHECK(without_model("pin @2 the task").words == Texts{"pin", "@2", "--", "the task"});
  }

  TEST_CASE("prose that begins with a quote or an option is read as a shell would") {
    CHECK(without_model("user 'a b' --tag x").words == Texts{"user", "a b", "--tag", "x"});
    CHECK(without_model("user --tag x 'a b'").words == Texts{"user", "--tag", "x", "a b"});
    CHECK(without_model("user \"open").is_open);
    CHECK(without_model("user -").words == Texts{"user", "-"});
  }

  TEST_CASE("a text may hold several commands, one a line") {
    const std::string text = "log -n 1\nstatus\n";
    const TypedCommand first = without_model(text);
    CHECK(first.words == Texts{"log", "-n", "1"});
    REQUIRE(first.end == 9);
    CHECK(without_model(std::string_view(text).substr(first.end)).words == Texts{"status"});
  }
}
