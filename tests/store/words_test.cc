#include "base/words.h"

#include <doctest/doctest.h>

#include <array>
#include <utility>

namespace spoor::store {

TEST_SUITE("store/words") {
  TEST_CASE("a value has its word and a word its value, and what is not in the table has none") {
    enum class Side { left, right, none };
    constexpr std::array<std::pair<Side, std::string_view>, 2> kSides = {
        {{Side::left, "left"}, {Side::right, "right"}}};
    CHECK(word_in(kSides, Side::right) == "right");
    CHECK(word_in(kSides, Side::none).empty());
    CHECK(value_in(kSides, "left") == Side::left);
    CHECK_FALSE(value_in(kSides, "Left"));
    CHECK_FALSE(value_in(kSides, ""));
  }
}

}  // namespace spoor::store
