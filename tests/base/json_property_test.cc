// Random documents and random damage, held against another JSON library.

#include <doctest/doctest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "tests/support/soak.h"

namespace json = spoor::json;
using Other = nlohmann::json;

namespace {

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(spoor::testing::seeded(seed)) {}

  std::string value(int depth) {
    switch (below(depth > 0 ? 7U : 5U)) {
      case 0:
        return space() + "null";
      case 1:
        return space() + (below(2) != 0 ? "true" : "false");
      case 2:
        return space() + number();
      case 3:
      case 4:
        return space() + string();
      case 5:
        return array(depth);
      default:
        return object(depth);
    }
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }

  /// Changes, drops or doubles a few bytes.
  std::string damage(std::string text) {
    for (std::size_t i = below(3) + 1; i > 0 && !text.empty(); --i) {
      const std::size_t at = below(text.size());
      const std::size_t what = below(4);
      if (what == 0) text.erase(at, below(5));
      if (what == 1) text[at] = static_cast<char>(below(256));
      if (what == 2) text.insert(at, text.substr(below(text.size()), below(9)));
      if (what == 3) text.resize(at);
    }
    return text;
  }

 private:
  std::string space() {
    static constexpr const char* kSpaces[] = {"", "", "", " ", "\n", "\t", "\r\n "};
    return kSpaces[below(std::size(kSpaces))];
  }

  std::string number() {
    static constexpr const char* kNumbers[] = {"0",
                                               "-0",
                                               "1",
                                               "-17",
                                               "3.25",
                                               "1e5",
                                               "1E-3",
                                               "9007199254740991",
                                               "18446744073709551615",
                                               "123456789012345678901234567890",
                                               "0.1",
                                               "-2.5e+10"};
    return kNumbers[below(std::size(kNumbers))];
  }

  std::string string() {
    static constexpr const char* kPieces[] = {"a",
                                              "key",
                                              "some longer run of clean text",
                                              "\\n",
                                              "\\\"",
                                              "\\\\",
                                              "\\/",
                                              "\\u0000",
                                              "\\u001f",
                                              "\\u00e9",
                                              "\\ud83d\\ude00",
                                              "\xc3\xa9",
                                              "\xf0\x9f\x98\x80",
                                              "\\t",
                                              "\x7f",
                                              "\xe2\x80\xa8",
                                              "{",
                                              "]"};
    std::string out = "\"";
    for (std::size_t i = below(6); i > 0; --i) out += kPieces[below(std::size(kPieces))];
    return out + "\"";
  }

  std::string array(int depth) {
    std::string out = space() + "[";
    const std::size_t count = below(4);
    for (std::size_t i = 0; i < count; ++i) out += (i != 0 ? "," : "") + value(depth - 1) + space();
    return out + (count == 0 ? space() : "") + "]";
  }

  std::string object(int depth) {
    std::string out = space() + "{";
    const std::size_t count = below(4);
    for (std::size_t i = 0; i < count; ++i) {
      out += (i != 0 ? "," : "") + space() + string() + space() + ":" + value(depth - 1) + space();
    }
    return out + "}";
  }

  std::mt19937 random_;
};

/// Do both trees say the same? Members: the last of equal keys counts.
bool same(const json::Value& ours, const Other& theirs) {
  switch (theirs.type()) {
    case Other::value_t::null:
      return ours.is(json::Type::null) && ours.raw() == "null";
    case Other::value_t::boolean:
      return theirs.get<bool>() ? ours.is_true() : ours.is_false();
    case Other::value_t::string:
      return ours.is_string() && ours.text() == theirs.get_ref<const std::string&>();
    case Other::value_t::array: {
      if (!ours.is_array() || ours.size() != theirs.size()) return false;
      std::size_t i = 0;
      for (const json::Value& element : ours.elements()) {
        if (!same(element, theirs[i++])) return false;
      }
      return true;
    }
    case Other::value_t::object: {
      if (!ours.is_object()) return false;
      for (const json::Member& member : ours.members()) {
        if (!theirs.contains(member.key.text())) return false;
      }
      for (const auto& [key, value] : theirs.items()) {
        const json::Value found = ours.find(key);
        if (!found || !same(found, value)) return false;
      }
      return true;
    }
    default:
      return ours.is_number() && Other::parse(ours.raw()) == theirs;
  }
}

}  // namespace

TEST_SUITE("base/json/property") {
  TEST_CASE("ten thousand documents are read as another library reads them") {
    Generator generate(1);
    for (int i = 0; i < spoor::testing::rounds(10'000); ++i) {
      const std::string text = generate.value(5);
      CAPTURE(text);
      const auto ours = json::parse(text);
      REQUIRE(ours.has_value());
      REQUIRE(same(ours.value().root(), Other::parse(text)));
    }
  }

  TEST_CASE("what another library reads after damage, ours reads the same") {
    Generator generate(2);
    int read_by_both = 0;
    for (int i = 0; i < spoor::testing::rounds(30'000); ++i) {
      const std::string text = generate.damage(generate.value(4));
      CAPTURE(text);
      const Other theirs = Other::parse(text, nullptr, false);
      const auto ours = json::parse(text);
      if (theirs.is_discarded() || text.find('\0') != std::string::npos)
        continue;  // NUL ends theirs.
      REQUIRE(ours.has_value());
      REQUIRE(same(ours.value().root(), theirs));
      ++read_by_both;
    }
    CHECK(read_by_both > 1000);
  }

  TEST_CASE("what ours reads and another library refuses is one of the documented leniencies") {
    Generator generate(3);
    for (int i = 0; i < spoor::testing::rounds(30'000); ++i) {
      const std::string text = generate.damage(generate.value(4));
      const auto ours = json::parse(text);
      if (!ours || !Other::parse(text, nullptr, false).is_discarded()) continue;
      CAPTURE(text);
      // Written canonically, with its strings mended, it is JSON to anyone. A number
      // too large for a double and a lone surrogate are the two that stay.
      const std::string mended = json::canonical(text).value();
      if (mended.find("\\ud") != std::string::npos) continue;
      try {
        CHECK_FALSE(Other::parse(mended).is_discarded());
      } catch (const Other::out_of_range&) {  // The number.
      }
    }
  }

  TEST_CASE("the canonical form is a fixed point and keeps the meaning") {
    Generator generate(4);
    for (int i = 0; i < spoor::testing::rounds(10'000); ++i) {
      const std::string text = generate.value(5);
      CAPTURE(text);
      const std::string once = json::canonical(text).value();
      REQUIRE(json::canonical(once).value() == once);
      REQUIRE(Other::parse(once) == Other::parse(text));
    }
  }

  TEST_CASE("the canonical form is a fixed point after any damage too") {
    Generator generate(5);
    for (int i = 0; i < spoor::testing::rounds(30'000); ++i) {
      const auto once = json::canonical(generate.damage(generate.value(4)));
      if (!once) continue;
      CAPTURE(once.value());
      REQUIRE(json::canonical(once.value()).value() == once.value());
    }
  }

  TEST_CASE("any bytes, written as a string, come back where they are UTF-8") {
    std::mt19937 random(spoor::testing::seeded(6));
    for (int i = 0; i < spoor::testing::rounds(20'000); ++i) {
      std::string bytes(random() % 40, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random() % (i % 2 == 0 ? 128 : 256));
      const std::string written = json::write_string(bytes);
      const std::string again = json::parse(written).value().root().text();
      if (i % 2 == 0) REQUIRE(again == bytes);
      REQUIRE(json::write_string(again) == written);
    }
  }
}
