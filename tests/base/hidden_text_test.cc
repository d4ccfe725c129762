// Which characters of a text nobody would see, by class, and which of their like stay.
#include "base/hidden_text.h"

#include <doctest/doctest.h>

#include <string>

#include "base/utf8.h"

using namespace spoor;

namespace {

std::uint64_t hidden_in(std::string_view text) { return count_hidden(text).characters; }

std::string utf8(char32_t code) {
  std::string text;
  append_utf8(text, code);
  return text;
}

}  // namespace

TEST_SUITE("base/hidden_text") {
  TEST_CASE("every class of invisible characters is hidden, wherever it stands") {
    constexpr std::pair<char32_t, char32_t> kClasses[] = {
        {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},     {0x115f, 0x1160},
        {0x200b, 0x200b},   {0x200e, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x2064},
        {0x2066, 0x2069},   {0x3164, 0x3164},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
        {0xfff9, 0xfffb},   {0xe0000, 0xe007f}, {0xe0100, 0xe01ef}, {0x2800, 0x2800},
        {0x13430, 0x1343f},
    };
    for (const auto& [first, last] : kClasses) {
      for (char32_t code = first; code <= last; ++code) {
        CAPTURE(static_cast<unsigned>(code));
        CHECK(is_hidden(code));
        for (const char* before : {"", "a", "ا", "क", "👩", "1"}) {
          CHECK(hidden_in(before + utf8(code) + "b") == 1);
        }
      }
    }
  }

  TEST_CASE("texts of many scripts and signs have nothing hidden") {
    for (const char* text :
         {"naïve café", "نمی‌خواهم", "क्‍ष", "ක්‍ය", "한국어", "漢字かな",
          "ภาษาไทย",
          "👩‍💻 👨‍👩‍👧 🏳️‍🌈 ❤️ ✔︎ 1️⃣ 🇩🇪 👍🏽",
          "e\u0301\u0323", "→ ⏎ █"}) {
      CAPTURE(text);
      CHECK(hidden_in(text) == 0);
    }
  }

  TEST_CASE("joiners and selectors without what they join are hidden") {
    CHECK(hidden_in("a\u200db") == 1);
    CHECK(hidden_in("a\u200cb") == 1);
    CHECK(hidden_in("\u200d") == 1);
    CHECK(hidden_in("👩\u200dx") == 1);
    CHECK(hidden_in("👩\u200d\u200d💻") == 2);
    CHECK(hidden_in("ا\u200c\u200c\u200d") == 2);
    CHECK(hidden_in("a\ufe0f") == 1);
    CHECK(hidden_in("❤\ufe0f\ufe0f\ufe0f") == 2);
    CHECK(hidden_in("❤\ufe01") == 1);
  }

  TEST_CASE("a base has at most eight marks") {
    std::string text = "a";
    for (int i = 0; i < 1'000; ++i) text += "\u0301";
    CHECK(hidden_in(text) == 992);
    CHECK(count_hidden(text).longest_run == 992);
  }

  TEST_CASE("an unassigned character counts as a mark, and takes no joiner") {
    std::string text = "a";
    for (int i = 0; i < 10; ++i) text += utf8(0x1af0);
    CHECK(hidden_in(text) == 2);
    CHECK(hidden_in(utf8(0x892) + "\u200d") == 1);
    std::string pictures;  // An emoji of a later version of Unicode is one.
    for (int i = 0; i < 10; ++i) pictures += utf8(0x1faff) + "\u200d👩";
    CHECK(hidden_in(pictures) == 0);
  }

  TEST_CASE("a message in tag characters is counted as such") {
    std::string text = "harmless";
    for (const char c : std::string("ignore")) text += utf8(0xe0000 + static_cast<char32_t>(c));
    CHECK(count_hidden(text) == HiddenCount{.characters = 6, .tags = 6, .longest_run = 6});
  }
}
