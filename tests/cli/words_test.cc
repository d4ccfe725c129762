#include "cli/repl/words.h"

#include <doctest/doctest.h>

using namespace spoor;
using namespace spoor::cli;

namespace {

std::vector<std::string> texts(std::string_view line) {
  std::vector<std::string> out;
  for (const Word& word : split_words(line).words) out.push_back(word.text);
  return out;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_SUITE("cli/words") {
  TEST_CASE("blanks part words, however many") {
    CHECK(texts("log -n 3") == Texts{"log", "-n", "3"});
    CHECK(texts("  log\t\t-n3  ") == Texts{"log", "-n3"});
    CHECK(texts("").empty());
    CHECK(texts(" \t ").empty());
  }

  TEST_CASE("single quotes hold everything as it is") {
    CHECK(texts(R"(tag 'a "b" \c')") == Texts{"tag", R"(a "b" \c)"});
    CHECK(texts("'two\nlines'") == Texts{"two\nlines"});
    CHECK(texts("''") == Texts{""});
  }

  TEST_CASE("in double quotes a backslash guards itself and the quote, nothing else") {
    CHECK(texts(R"("a \"b\" \\ \n")") == Texts{R"(a "b" \ \n)"});
    CHECK(texts(R"("it's")") == Texts{"it's"});
  }

  TEST_CASE("a backslash takes the next character, and with a line end vanishes") {
    CHECK(texts(R"(a\ b \'c)") == Texts{"a b", "'c"});
    CHECK(texts("log \\\n-n 3") == Texts{"log", "-n", "3"});
    CHECK(texts("lo\\\ng") == Texts{"log"});
  }

  TEST_CASE("quotes within a word join it") {
    CHECK(texts(R"(--since='2 hours ago' x"y"'z')") == Texts{"--since=2 hours ago", "xyz"});
  }

  TEST_CASE("a remark begins where a word could, and ends with its line") {
    CHECK(texts("log # -n 3") == Texts{"log"});
    CHECK(texts("log a#b") == Texts{"log", "a#b"});
    CHECK(texts("# all of it").empty());
  }

  TEST_CASE("a line end outside quotes ends the command") {
    const Words first = split_words("log\nstatus");
    CHECK(first.words.size() == 1);
    CHECK(first.end == 3);
  }

  TEST_CASE("what is open says so") {
    CHECK(split_words("user 'a").is_open);
    CHECK(split_words("user \"a\n").is_open);
    CHECK(split_words("user a\\").is_open);
    CHECK(!split_words("user 'a'").is_open);
    CHECK(!split_words("user \"a\" 'b'").is_open);
  }

  TEST_CASE("places are those of the line, quotes included") {
    const Words split = split_words(" a 'b c'");
    REQUIRE(split.words.size() == 2);
    CHECK(split.words[1].begin == 3);
    CHECK(split.words[1].end == 8);
    CHECK(split.in_word);
    CHECK(!split_words("a ").in_word);
  }

  TEST_CASE("a quoted word is read back as it was") {
    for (const char* text :
         {"plain", "", "two words", "it's", "\"", "\\", "#x", "a\nb", "'", "漢 字"}) {
      CHECK(texts(quoted_word(text)) == Texts{text});
    }
    CHECK(quoted_word("plain") == "plain");
  }
}
