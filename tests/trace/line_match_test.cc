#include "trace/line_match.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using spoor::trace::LineId;
using spoor::trace::LineMatches;

namespace {

/// Matches texts of one letter a line: capital letters are heavy lines, others light. Returns for
/// each later line the number of the earlier one, or `.`.
std::string matches(std::string_view before, std::string_view after) {
  std::vector<std::uint32_t> weights(128, 0);
  for (std::size_t letter = 'A'; letter <= 'Z'; ++letter) weights[letter] = 30;
  const std::vector<LineId> old(before.begin(), before.end());
  const std::vector<LineId> now(after.begin(), after.end());
  std::string shown;
  for (const std::size_t from : spoor::trace::match_lines(old, now, weights).from) {
    shown += from == LineMatches::kNone ? '.' : static_cast<char>('0' + from);
  }
  return shown;
}

}  // namespace

TEST_SUITE("trace/line_match") {
  TEST_CASE("equal lines match in their order") {
    CHECK(matches("ABC", "ABC") == "012");
    CHECK(matches("ABC", "AXBC") == "0.12");
    CHECK(matches("ABC", "AC") == "02");
  }

  TEST_CASE("lines that changed places match only where every order agrees") {
    CHECK(matches("AB", "BA") == "..");
    CHECK(matches("ABCD", "BCDA") == "123.");
  }

  TEST_CASE("light lines match next to heavy ones, if it is clear which") {
    CHECK(matches("AxB", "AxB") == "012");
    CHECK(matches("AxB", "AxxB") == "0..2");
    CHECK(matches("AxB", "AxYB") == "01.2");
    CHECK(matches("AxxB", "AxB") == "0.3");
  }

  TEST_CASE("light lines between changed ones do not match") {
    CHECK(matches("AYxZB", "AUxVB") == "0...4");
    CHECK(matches("xy", "zxy") == "...");
  }

  TEST_CASE("nothing matches nothing") {
    CHECK(matches("", "A") == ".");
    CHECK(matches("A", "").empty());
  }
}
