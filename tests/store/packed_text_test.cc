#include "store/sqlite/packed_text.h"

#include <doctest/doctest.h>

#include <random>

#include "store/object.h"
#include "tests/store/world.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using spoor::store::sqlite::pack_text;
using spoor::store::sqlite::unpack_text;

namespace {

const std::string kName(64, 'a');

// Made of what packing looks for, whole and broken off, and of what it must not touch.
std::string random_text(std::mt19937_64& random) {
  static const std::vector<std::string> kPieces = {"op append\ntype user\nparent ",
                                                   "op append\ntype tool\npar",
                                                   "\ndepth ",
                                                   "\nskip ",
                                                   kName,
                                                   kName.substr(1),
                                                   " text/plain\nmeta {\"",
                                                   " text/plain\n",
                                                   "\"",
                                                   "_input_tokens\":",
                                                   "\t",
                                                   "\r\n",
                                                   "\xc3\xa9",
                                                   "7",
                                                   " ",
                                                   "author "};
  std::string text;
  for (std::size_t n = random() % 12; n > 0; --n) text += kPieces[random() % kPieces.size()];
  return text;
}

}  // namespace

TEST_SUITE("store/packed_text") {
  TEST_CASE("every text that can be packed comes back as it was, and never larger") {
    std::mt19937_64 random(spoor::testing::seeded(1));
    for (int i = 0; i < spoor::testing::rounds(20'000); ++i) {
      const std::string text = random_text(random);
      CAPTURE(text);
      const auto packed = pack_text(text);
      REQUIRE(packed);
      CHECK(packed->size() <= text.size());
      CHECK(unpack_text(*packed, text.size()) == text);
    }
  }

  TEST_CASE("a commit's text becomes less than half as long") {
    sample::World world;
    const Oid tip = world.grow(std::nullopt, 5, "turn");
    const std::string& body = world.objects.back().body;
    REQUIRE(world.objects.back().oid == tip);
    const auto packed = pack_text(body);
    REQUIRE(packed);
    CHECK(packed->size() < body.size() / 2);
    CHECK(unpack_text(*packed, body.size()) == body);
  }

  TEST_CASE("a text with a byte that stands for something is not packed") {
    CHECK_FALSE(
        pack_text("author a\x01"
                  "b\n"));
    CHECK_FALSE(
        pack_text("author a\x1b"
                  "b\n"));
    CHECK(pack_text("author a\x7f\t\n"));
  }

  TEST_CASE("what is malformed is refused") {
    CHECK_FALSE(unpack_text("\x01short", 64));
    CHECK_FALSE(unpack_text("abc", 2));
    CHECK_FALSE(unpack_text("abc", 4));
    CHECK_FALSE(unpack_text("abc", std::size_t{1} << 60));
    CHECK(unpack_text("", 0) == "");
  }

  TEST_CASE("any bytes unpack to something or nothing, without harm") {
    std::mt19937_64 random(spoor::testing::seeded(2));
    for (int i = 0; i < spoor::testing::rounds(20'000); ++i) {
      std::string bytes(random() % 100, ' ');
      for (char& byte : bytes) byte = static_cast<char>(random() % 36);
      const std::size_t size = random() % 300;
      const auto text = unpack_text(bytes, size);
      if (text) CHECK(text->size() == size);
    }
  }
}
