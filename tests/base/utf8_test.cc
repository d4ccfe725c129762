#include "base/utf8.h"

#include <doctest/doctest.h>

using namespace spoor;

TEST_SUITE("store/utf8") {
  TEST_CASE("a code point counts as one however many bytes it takes") {
    CHECK(count_code_points("") == 0);
    CHECK(count_code_points("a\xc3\xa9\xe2\x82\xac\xf0\x9f\xa7\xad") == 4);
    CHECK(count_code_points("\xed\xa0\x80") == 1);  // A surrogate in WTF-8.
    CHECK(count_code_points("\xed\xa0") == 2);      // Half of one.
    CHECK(count_code_points("\xff\xf0\x9f") == 3);
  }

  TEST_CASE("the first code points are cut at their ends") {
    const std::string_view text = "\xc3\xa9\xed\xa0\x80\xff\xf0\x9f\xa7\xad";
    CHECK(first_code_points(text, 0).empty());
    CHECK(first_code_points(text, 1) == "\xc3\xa9");
    CHECK(first_code_points(text, 3) == "\xc3\xa9\xed\xa0\x80\xff");
    CHECK(first_code_points(text, 4) == text);
    CHECK(first_code_points(text, 400) == text);
  }

  TEST_CASE("a text cut to some bytes ends with a whole character") {
    const std::string text = "a\u00e4\u20ac\U0001f600b";  // 1, 2, 3, 4 and 1 bytes.
    const std::size_t ends[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
    for (std::size_t most = 0; most < std::size(ends); ++most) {
      CHECK(cut_to_bytes(text, most) == text.substr(0, ends[most]));
    }
    CHECK(cut_to_bytes("", 3).empty());
  }

  TEST_CASE("what cannot be seen is blank") {
    CHECK(is_blank(""));
    CHECK(is_blank(" \n\xc2\xa0\xe2\x80\x8b\xe3\x80\x80"));
    CHECK_FALSE(is_blank(" ."));
    CHECK_FALSE(is_blank("\xff"));
    CHECK_FALSE(is_blank("\xa0"));  // No UTF-8: not the blank that it would be as a code point.
  }
}
