// What a hostile store can bring into memory has a limit.
#include "base/read_limits.h"

#include <doctest/doctest.h>

#include <array>
#include <map>

#include "store/memory_store.h"
#include "store/reader.h"
#include "tests/store/sample.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

constexpr std::uint64_t kMebibyte = 1U << 20U;

// A text of `parts` equal parts, in two objects.
Oid put_equal_parts(Store& store, std::size_t parts) {
  const NewObject part = blob(std::string(kChunkPart, 'x'));
  ChunkList list{.size = parts * kChunkPart, .parts = std::vector<Oid>(parts, part.oid)};
  const NewObject text = new_object(Kind::chunks, serialize(list));
  REQUIRE(store.put(std::array{part, text}));
  return text.oid;
}

}  // namespace

TEST_SUITE("store/budget") {
  TEST_CASE("equal parts make one text, whole up to the limit") {
    MemoryStore store;
    const Oid text = put_equal_parts(store, 16);  // 4 MiB.
    const Reader enough(store, kMebibyte, {}, {.text = 4 * kMebibyte});
    CHECK(*enough.content(text).value() == std::string(4 * kMebibyte, 'x'));
    const Reader less(store, kMebibyte, {}, {.text = 4 * kMebibyte - 1});
    const auto denied = less.content(text);
    REQUIRE(denied.error().code == Error::Code::denied);
    CHECK(denied.error().message.find(text.hex(12)) != std::string::npos);
    CHECK(denied.error().hint.find("SPOOR_MAX_TEXT=5") != std::string::npos);
  }

  TEST_CASE("a text of ten gigabytes in two objects is refused at once") {
    MemoryStore store;
    const Oid text = put_equal_parts(store, 40'000);
    CHECK(Reader(store).content(text).error().code == Error::Code::denied);
  }

  TEST_CASE("equal names are read once, and share their text") {
    MemoryStore store;
    const Oid text = put_equal_parts(store, 8);
    const Reader reader(store, 0, {}, {.text = 2 * kMebibyte});
    const auto read = reader.contents(std::vector<Oid>(1'000, text)).value();
    CHECK(read.front().get() == read.back().get());
  }

  TEST_CASE("texts that are read together have one limit") {
    MemoryStore store;
    std::vector<Oid> names;
    for (char c = 'a'; c < 'e'; ++c) {
      const NewObject text = blob(std::string(kMebibyte, c));
      REQUIRE(store.put(std::array{text}));
      names.push_back(text.oid);
    }
    const Reader reader(store, 0, {}, {.text = 3 * kMebibyte});
    CHECK(reader.contents(names).error().code == Error::Code::denied);
    names.pop_back();
    CHECK(reader.contents(names).value().size() == 3);
  }
}
