#include "llm/money.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>

using namespace spoor;
using namespace spoor::llm;

namespace {

std::optional<std::int64_t> nano(std::string_view text) {
  const auto money = parse_dollars(text);
  return money ? std::optional(money->nano_dollars) : std::nullopt;
}

}  // namespace

TEST_SUITE("llm/money") {
  TEST_CASE("dollars are read exactly") {
    CHECK(nano("3") == 3'000'000'000);
    CHECK(nano("0.25") == 250'000'000);
    CHECK(nano("0.0028") == 2'800'000);
    CHECK(nano("0.000000001") == 1);
    CHECK(nano("999999999.999999999") == 999'999'999'999'999'999);
    CHECK(nano("1e-05") == 10'000);
    CHECK(nano("1.5E+3") == 1'500'000'000'000);
    CHECK(nano("0") == 0);
    CHECK(nano("0e400") == 0);
  }

  TEST_CASE("what is less than a billionth is rounded") {
    CHECK(nano("0.0000000004") == 0);
    CHECK(nano("0.0000000005") == 1);
    CHECK(nano("1e-400") == 0);
    CHECK(nano("0.30000000000000004") == 300'000'000);
    CHECK(nano("123456789012345678901234567890e-29") == 1'234'567'890);
  }

  TEST_CASE("what is no amount is refused") {
    for (const char* text : {"", "-1", "+1", "1.", ".5", "01", "1e", "1e-", "0x1", "1 ", " 1",
                             "1,5", "nan", "inf", "1000000000", "9555555555555555555555555",
                             "999999999.9999999999", "1e9", "1e99999999999999999999"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_dollars(text));
    }
  }

  TEST_CASE("amounts are written exactly, and read back") {
    CHECK(dollars({0}) == "0.00");
    CHECK(dollars({3'000'000'000}) == "3.00");
    CHECK(dollars({1'250'000'000}) == "1.25");
    CHECK(dollars({135'000}) == "0.000135");
    CHECK(dollars({1}) == "0.000000001");
    CHECK(dollars({-1'500'000'000}) == "-1.50");
    CHECK(dollars({std::numeric_limits<std::int64_t>::min()}) == "-9223372036.854775808");
    std::mt19937_64 random(7);
    for (int i = 0; i < 1000; ++i) {
      const Money money{static_cast<std::int64_t>(random() % 999'999'999'999'999'999U)};
      CHECK(parse_dollars(dollars(money)) == money);
    }
  }

  TEST_CASE("sums stop at the ends") {
    const Money most{std::numeric_limits<std::int64_t>::max()};
    const Money least{std::numeric_limits<std::int64_t>::min()};
    CHECK(most + Money{1} == most);
    CHECK(least - Money{1} == least);
    CHECK(least + Money{-1} == least);
    CHECK(Money{1} - least == most);
    CHECK(Money{2} + Money{3} == Money{5});
  }
}
