// Ropes: a text in pieces reads as the text, whatever the cuts, in every engine; and what a store,
// gc and an archive make of them.
#include <doctest/doctest.h>

#include <array>
#include <random>

#include "store/archive.h"
#include "store/archive_reader.h"
#include "store/fsck.h"
#include "store/gc.h"
#include "store/memory_store.h"
#include "store/reader.h"
#include "store/rope.h"
#include "store/sqlite/files.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite_store.h"
#include "store/tombstone.h"
#include "tests/store/archive_text.h"
#include "tests/store/temp_dir.h"
#include "tests/store/world.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

// Cuts at random places, and in these again.
std::vector<Cut> random_cuts(std::mt19937_64& random, std::size_t begin, std::size_t end,
                             int depth) {
  std::vector<Cut> cuts;
  while (begin < end && random() % 5 != 0) {
    const std::size_t from = begin + random() % (end - begin);
    const std::size_t to = from + 1 + random() % (end - from);
    Cut cut{from, to};
    if (depth < 3) cut.inner = random_cuts(random, from, to, depth + 1);
    cuts.push_back(std::move(cut));
    begin = to;
  }
  return cuts;
}

std::string read(const Store& store, const Oid& oid, std::uint64_t most = 1U << 30U) {
  const auto text = Reader(store, 1U << 20U, {}, {.text = most}).content(oid);
  return text ? *text.value() : "(" + text.error().message + ")";
}

std::string long_text(std::mt19937_64& random, std::size_t size) {
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>('a' + random() % 26);
  return text;
}

std::int64_t format_of(const std::string& path) {
  return sqlite::Connection::open(path, sqlite::Connection::Access::read_only)
      .value()
      ->format()
      .value();
}

Bundle bundle_of(const Oid& commit, const Oid& stored) {
  Bundle bundle;
  bundle.commit = commit;
  bundle.renderer = "captured/1";
  bundle.sent = stored;
  bundle.stored = stored;
  return bundle;
}

// A branch whose answer was asked for with `text`, cut into its three thirds.
struct Asked {
  World world;
  Oid rope;
  std::vector<Oid> pieces;

  explicit Asked(const std::string& text, Store& store) {
    const std::size_t third = text.size() / 3;
    rope = world.rope(text, {{third, 2 * third}});
    for (const RopePiece& piece : parse_rope(world.first(Kind::rope).body).value().pieces) {
      pieces.push_back(piece.oid);
    }
    const Oid root = world.add(world.turn({}, "a question"));
    Commit answer = world.turn({root}, "an answer", Type::assistant);
    answer.prompt = world.add(Kind::bundle, serialize(bundle_of(root, rope)).value());
    const Oid tip = world.add(answer);
    Transaction change;
    change.objects = world.objects;
    change.refs = {{branch_ref("main"), std::nullopt, tip}};
    change.actor = "tester";
    change.command = "test";
    change.time = at(1);
    store.commit(change).value();
  }
};

std::string archive_of(const Store& store) {
  std::string bytes;
  const auto written = write_archive(store, {.refs = store.refs("").value()},
                                     [&](std::string_view part) -> Result<void> {
                                       bytes += part;
                                       return {};
                                     });
  REQUIRE(written);
  return bytes;
}

Result<Received> receive(Store& store, std::string_view bytes) {
  return receive_archive(store, {}, [&](std::span<char> into) -> Result<std::size_t> {
    const std::size_t size = std::min(into.size(), bytes.size());
    bytes.copy(into.data(), size);
    bytes.remove_prefix(size);
    return size;
  });
}

}  // namespace

TEST_SUITE("store/rope") {
  TEST_CASE("a text cut anywhere reads as the text") {
    std::mt19937_64 random(testing::seeded(41));
    TempDir folder;
    MemoryStore memory;
    const auto kept = SqliteStore::create(folder / "kept").value();
    const std::array<Store*, 2> stores = {&memory, kept.get()};
    for (int round = 0; round < testing::rounds(200); ++round) {
      CAPTURE(round);
      const std::string text = long_text(random, random() % 3000);
      const auto objects = encode_rope(text, random_cuts(random, 0, text.size(), 0), Salter());
      for (Store* store : stores) {
        REQUIRE(store->put(objects));
        CHECK(read(*store, objects.back().oid) == text);
      }
    }
    for (const Store* store : stores) CHECK(fsck(*store).value().problems.empty());
  }

  TEST_CASE(
      "a text without cuts is a content, and one of more than a blob holds has several pieces") {
    CHECK(encode_rope("hello", {}, Salter()).back().oid ==
          encode_content("hello", Salter())[0].oid);
    CHECK(encode_rope("hello", {{0, 5}}, Salter()).back().kind == Kind::blob);
    std::mt19937_64 random(2);
    const std::string text = long_text(random, 3 * kMaxBlobContent);
    MemoryStore store;
    const auto objects = encode_rope(text, {{2, text.size() - 1}}, Salter());
    REQUIRE(store.put(objects));
    CHECK(read(store, objects.back().oid) == text);
    CHECK(fsck(store).value().problems.empty());
  }

  TEST_CASE("more pieces than one rope has are ropes in a rope") {
    const std::string text(kMaxRopePieces * 2 + 2, 'x');
    std::vector<Cut> cuts;
    for (std::size_t i = 0; i < text.size(); ++i) cuts.push_back({i, i + 1});
    const auto objects = encode_rope(text, cuts, Salter());
    CHECK(parse_rope(objects.back().body).value().pieces.size() == 3);
    MemoryStore store;
    REQUIRE(store.put(objects));
    CHECK(read(store, objects.back().oid) == text);
  }

  TEST_CASE("a forged rope is refused before it grows") {
    MemoryStore store;
    World world;
    // Each is twice the one before: the last would be 2^40 bytes.
    RopePiece piece{world.content("ab"), 2, false};
    for (int i = 0; i < 39; ++i) {
      const Rope rope{{piece, piece}};
      piece = {world.add(Kind::rope, serialize(rope)), rope.size(), true};
    }
    REQUIRE(store.put(world.objects));
    CHECK(read(store, piece.oid, 1U << 20U).find("limit") != std::string::npos);

    // Says that it is short, and is not.
    RopePiece small = piece;
    small.size = 4;
    const auto liar = new_object(Kind::rope, serialize(Rope{{small, small}}));
    REQUIRE(store.put(std::array{liar}));
    CHECK(read(store, liar.oid, 1U << 20U).find("another size") != std::string::npos);
  }

  TEST_CASE("a store gets format 5 with its first rope, and no earlier") {
    for (const std::int64_t format :
         {sqlite::kFirstFormat, sqlite::kPackedFormat, sqlite::kArrivalsFormat}) {
      CAPTURE(format);
      TempDir folder;
      const std::string path = folder / "store";
      sqlite::write_empty_store(path, format).value();
      const auto store = SqliteStore::open(path).value();
      REQUIRE(store->put(encode_content("a content", Salter())));
      CHECK(format_of(path) == format);
      const Asked asked("one two three", *store);
      CHECK(format_of(path) == sqlite::kRopesFormat);
      CHECK(read(*store, asked.rope) == "one two three");
      CHECK(fsck(*store).value().problems.empty());
      CHECK_FALSE(store->upgrade().value());
      CHECK(read(*SqliteStore::open(path).value(), asked.rope) == "one two three");
    }
  }

  TEST_CASE("a rope that is not written leaves the format as it was") {
    TempDir folder;
    const std::string path = folder / "store";
    const auto store = SqliteStore::create(path).value();
    Transaction change;
    change.objects = encode_rope("onetwo", {{0, 3}}, Salter());
    change.more = []() -> Result<std::vector<NewObject>> { return invalid("no more"); };
    CHECK_FALSE(store->commit(change));
    CHECK(format_of(path) == sqlite::kArrivalsFormat);
    REQUIRE(store->put(encode_rope("onetwo", {{0, 3}}, Salter())));
    CHECK(format_of(path) == sqlite::kRopesFormat);
  }

  TEST_CASE("gc keeps the pieces of a rope that is needed, and takes those of one that is not") {
    MemoryStore store;
    const Asked asked("one two three", store);
    const auto loose = encode_rope("one two other", {{0, 4}, {4, 8}}, Salter());
    REQUIRE(store.put(loose));
    Transaction later;  // What was put is new until an operation comes and grows old.
    later.refs = {{branch_ref("later"), std::nullopt, store.ref(branch_ref("main")).value()}};
    later.actor = "tester";
    later.command = "test";
    later.time = at(2);
    REQUIRE(store.commit(later));
    GcOptions options;
    options.keep_since = at(100'000);
    options.actor = "tester";
    REQUIRE(collect_garbage(store, options));
    CHECK(read(store, asked.rope) == "one two three");
    CHECK_FALSE(store.has(std::array{loose.back().oid}).value()[0]);
    CHECK(fsck(store).value().problems.empty());
  }

  TEST_CASE("ropes are in an archive, but not in the first format") {
    MemoryStore from;
    const Asked asked("one two three", from);
    const std::string bytes = archive_of(from);
    MemoryStore to;
    REQUIRE(receive(to, bytes));
    CHECK(read(to, asked.rope) == "one two three");

    MemoryStore second;
    REQUIRE(receive(second, in_earlier_format(bytes, 2)));
    CHECK(read(second, asked.rope) == "one two three");

    MemoryStore first;
    const auto refused = receive(first, in_earlier_format(bytes, 1));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("has no ropes") != std::string::npos);
  }

  TEST_CASE("with an erased piece, the others are read") {
    MemoryStore store;
    const Asked asked("one two three", store);
    Tombstone stone{.erased = {asked.pieces[1]}, .reason = {}, .author = "tester", .time = at(2)};
    const NewObject object = new_object(Kind::tombstone, serialize(stone).value());
    Transaction change;
    change.objects = {object};
    change.erase = stone.erased;
    change.properties = {{"tombstones", object.oid.hex() + "\n"}};
    REQUIRE(store.commit(change));
    CHECK(read(store, asked.rope) == "one [erased]" + std::string("three"));
    CHECK(Reader(store).leaves(asked.rope).value().size() == 3);
    CHECK(fsck(store).value().problems.empty());

    MemoryStore to;
    REQUIRE(receive(to, archive_of(store)));
    CHECK(read(to, asked.rope) == read(store, asked.rope));
  }
}
