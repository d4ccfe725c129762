#include "report/debrief/bounded_list.h"

#include <doctest/doctest.h>

#include <string>

using spoor::report::debrief::BoundedList;

namespace {

BoundedList<int> numbers(int count, std::size_t most) {
  BoundedList<int> list(most);
  for (int i = 1; i <= count; ++i) list.add(i);
  return list;
}

// `1 2 (3) 6 7`, with the number of those left out where they are.
template <class... Most>
std::string shown(const BoundedList<int>& list, Most... most) {
  std::string text;
  const auto add = [&text](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  list.visit(
      most..., [&](int number) { add(std::to_string(number)); },
      [&](std::uint64_t count) { add('(' + std::to_string(count) + ')'); });
  return text;
}

}  // namespace

TEST_SUITE("report/debrief/bounded_list") {
  TEST_CASE("elements keep their index while the middle is dropped") {
    BoundedList<int> kept(4);
    for (int i = 0; i < 10; ++i) CHECK(kept.add(i) == static_cast<std::uint64_t>(i));
    for (const std::uint64_t i : {0U, 1U, 8U, 9U}) CHECK(*kept.at(i) == static_cast<int>(i));
    for (const std::uint64_t i : {2U, 7U, 10U}) CHECK(kept.at(i) == nullptr);
  }

  TEST_CASE("a list keeps its beginning and its end, and tells where it is cut") {
    CHECK(shown(numbers(0, 5)).empty());
    CHECK(shown(numbers(4, 5)) == "1 2 3 4");
    CHECK(shown(numbers(5, 5)) == "1 2 3 4 5");
    CHECK(shown(numbers(8, 5)) == "1 2 3 (3) 7 8");
    CHECK(shown(numbers(8, 4)) == "1 2 (4) 7 8");
    CHECK(shown(numbers(8, 1)) == "1 (7)");
  }

  TEST_CASE("fewer of them are as if fewer had been kept") {
    for (int count = 0; count <= 12; ++count) {
      for (std::size_t most = 0; most <= 12; ++most) {
        for (std::size_t few = 0; few <= most; ++few) {
          CAPTURE(count);
          CAPTURE(most);
          CAPTURE(few);
          CHECK(shown(numbers(count, most), few) == shown(numbers(count, few)));
        }
        CHECK(shown(numbers(count, most), std::size_t{100}) == shown(numbers(count, most)));
      }
    }
  }
}
