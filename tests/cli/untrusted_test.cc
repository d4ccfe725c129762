#include "cli/terminal/untrusted.h"

#include <doctest/doctest.h>

using spoor::cli::visible;
using spoor::cli::visible_line;

TEST_SUITE("cli/untrusted") {
  TEST_CASE("plain text, line ends and tabs stay as they are") {
    CHECK(visible("a\tb\nc ü 漢 🙂") == "a\tb\nc ü 漢 🙂");
  }

  TEST_CASE("C0 and DEL become hexadecimal escapes") {
    CHECK(visible("\x1b[31mred") == "\\x1b[31mred");
    CHECK(visible(std::string_view("\0\a\b\r\x7f", 5)) == "\\x00\\x07\\x08\\x0d\\x7f");
  }

  TEST_CASE("C1 controls are escaped, as UTF-8 and as bare bytes") {
    CHECK(visible("\xc2\x9b"
                  "31m") == "<U+009B>31m");
    CHECK(visible("\x9b"
                  "31m") ==
          "\xef\xbf\xbd"
          "31m");
  }

  TEST_CASE("every bidi control is named") {
    CHECK(visible("\u202e\u2066\u2069\u200e\u200f\u061c") ==
          "<U+202E><U+2066><U+2069><U+200E><U+200F><U+061C>");
  }

  TEST_CASE("characters that nobody sees are named, and those that words and pictures need stay") {
    CHECK(visible("a\u200bb\u00adc\ufeff") == "a<U+200B>b<U+00AD>c<U+FEFF>");
    CHECK(visible("x\U000e0041\U000e007f") == "x<U+E0041><U+E007F>");
    CHECK(visible("a\u2028b\u3164") == "a<U+2028>b<U+3164>");
    CHECK(visible("👩\u200d💻 ❤\ufe0f \u0646\u0645\u06cc\u200c\u062e") ==
          "👩\u200d💻 ❤\ufe0f \u0646\u0645\u06cc\u200c\u062e");
    CHECK(visible("a\u200db") == "a<U+200D>b");
  }

  TEST_CASE("what was made visible is not changed again") {
    std::string text = "a";
    for (int i = 0; i < 12; ++i) text += "\u0301";
    text += "\u200d\u0301👩\u200d\u2060\u200d💻❤\ufe0f\ufe0f";
    CHECK(visible(visible(text)) == visible(text));
  }

  TEST_CASE("a text is the same in parts as in one") {
    std::string text;
    for (int i = 0; i < 50; ++i) text += "plain 👩\u200d💻 a\u200b e\u0301\n";
    for (const std::size_t most : {1U, 2U, 7U, 64U}) {
      std::string out;
      spoor::HiddenText hidden;
      for (std::string_view rest = text; !rest.empty();) {
        rest.remove_prefix(spoor::cli::append_visible_part(out, rest, most, hidden));
      }
      CHECK(out == visible(text));
    }
  }

  TEST_CASE("bytes that are no UTF-8 become U+FFFD, one each") {
    CHECK(visible("a\xff\xc3"
                  "b") ==
          "a\xef\xbf\xbd\xef\xbf\xbd"
          "b");
  }

  TEST_CASE("no control byte survives, whatever comes in") {
    std::string all;
    for (int high = 0; high < 256; ++high) {
      for (int low = 0; low < 256; ++low) {
        all += static_cast<char>(high);
        all += static_cast<char>(low);
      }
    }
    for (const char c : visible(all)) {
      const auto byte = static_cast<unsigned char>(c);
      CHECK((byte >= 0x20 || byte == '\n' || byte == '\t'));
      CHECK(byte != 0x7f);
    }
  }

  TEST_CASE("one line: white space folds, a cut splits no character") {
    CHECK(visible_line("  a\r\n\n b\tc ") == "a b c");
    CHECK(visible_line("ab\u00fcc", 3) == "ab");
  }
}
