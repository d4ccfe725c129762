#include "cli/repl/line_layout.h"

#include <string>

#include <doctest/doctest.h>

#include "cli/repl/key_reader.h"

using namespace spoor;
using namespace spoor::cli;

TEST_SUITE("cli/line_layout") {
  TEST_CASE("a full row goes on in the next") {
    CHECK(row_behind(5, L"abc", 10) == 0);
    CHECK(row_behind(5, L"abcd", 10) == 0);
    CHECK(row_behind(5, L"abcde", 10) == 1);
    CHECK(row_behind(5, std::wstring(26, L'a'), 10) == 3);
    CHECK(row_behind(12, L"", 10) == 1);
  }

  TEST_CASE("line ends begin a row") {
    CHECK(row_behind(5, L"a\nb", 10) == 1);
    CHECK(row_behind(5, L"\n\n", 10) == 2);
  }

  TEST_CASE("a wide character takes two columns, and does not part over rows") {
    CHECK(row_behind(0, L"漢漢漢漢漢", 10) == 1);
    CHECK(row_behind(1, L"漢漢漢漢", 10) == 0);
    CHECK(row_behind(1, L"漢漢漢漢漢", 10) == 1);
  }

  TEST_CASE("control characters are shown as two, tabs to the next eighth column") {
    CHECK(row_behind(8, L"\x1b", 10) == 1);
    CHECK(row_behind(1, L"\t", 10) == 0);
    CHECK(row_behind(1, L"\tab", 10) == 1);
  }
}

TEST_SUITE("cli/key_reader") {
  TEST_CASE("text of any bytes survives as characters") {
    for (const std::string bytes :
         {"", "plain", "漢字 é 🙂", "caf\xe9", "\xf0\x9f", "\x80\xff"}) {
      CHECK(to_bytes(to_characters(bytes)) == bytes);
    }
    CHECK(to_characters("漢").size() == 1);
    CHECK(to_characters("\xf0\x9f").size() == 2);
  }
}
