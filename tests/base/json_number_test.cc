#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "base/json/number.h"

namespace spoor::json {
namespace {

double of_bits(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

TEST_SUITE("base/json/number") {
  TEST_CASE("numbers are those of RFC 8785, appendix B") {
    CHECK(write_number(of_bits(0x0000000000000000)) == "0");
    CHECK(write_number(of_bits(0x8000000000000000)) == "0");
    CHECK(write_number(of_bits(0x0000000000000001)) == "5e-324");
    CHECK(write_number(of_bits(0x8000000000000001)) == "-5e-324");
    CHECK(write_number(of_bits(0x7fefffffffffffff)) == "1.7976931348623157e+308");
    CHECK(write_number(of_bits(0x4340000000000000)) == "9007199254740992");
    CHECK(write_number(of_bits(0xc340000000000000)) == "-9007199254740992");
    CHECK(write_number(of_bits(0x4430000000000000)) == "295147905179352830000");
    CHECK(write_number(of_bits(0x44b52d02c7e14af5)) == "9.999999999999997e+22");
    CHECK(write_number(of_bits(0x44b52d02c7e14af6)) == "1e+23");
    CHECK(write_number(of_bits(0x44b52d02c7e14af7)) == "1.0000000000000001e+23");
    CHECK(write_number(of_bits(0x444b1ae4d6e2ef4e)) == "999999999999999700000");
    CHECK(write_number(of_bits(0x444b1ae4d6e2ef50)) == "1e+21");
    CHECK(write_number(of_bits(0x3eb0c6f7a0b5ed8c)) == "9.999999999999997e-7");
    CHECK(write_number(of_bits(0x3eb0c6f7a0b5ed8d)) == "0.000001");
    CHECK(write_number(of_bits(0x41b3de4355555555)) == "333333333.3333333");
    CHECK(write_number(of_bits(0xbecbf647612f3696)) == "-0.0000033333333333333333");
    CHECK(write_number(of_bits(0x43143ff3c1cb0959)) == "1424953923781206.2");
  }

  TEST_CASE("what is not finite is no number of JSON") {
    CHECK(write_number(std::numeric_limits<double>::infinity()) == "null");
    CHECK(write_number(std::numeric_limits<double>::quiet_NaN()) == "null");
  }

  TEST_CASE("any double reads back") {
    std::mt19937_64 random(20261122);
    for (int i = 0; i < 20'000; ++i) {
      const double value = of_bits(random());
      const std::string text = write_number(value);
      if (text == "null") continue;
      CHECK(std::strtod(text.c_str(), nullptr) == value);
    }
  }
}

}  // namespace spoor::json
