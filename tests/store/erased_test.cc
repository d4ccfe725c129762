// What is read in place of erased contents, and that their bytes are nowhere.
#include "store/erased.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "store/archive.h"
#include "store/archive_reader.h"
#include "store/fsck.h"
#include "store/reader.h"
#include "store/sqlite/text_index.h"
#include "store/tombstone.h"
#include "tests/store/database.h"
#include "tests/store/engines.h"
#include "tests/store/sample.h"

using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

const std::string kMain = branch_ref("main");

NewObject tombstone_of(std::vector<Oid> erased, const NewObject& reason) {
  std::sort(erased.begin(), erased.end());
  const Tombstone stone{
      .erased = std::move(erased), .reason = reason.oid, .author = "ada", .time = at(1)};
  return new_object(Kind::tombstone, serialize(stone).value());
}

// Erases contents together with a move of main, as the one who erases does.
Result<Receipt> erase(Store& store, History& history, const std::vector<Oid>& oids,
                      std::string_view why) {
  const NewObject reason = blob(why);
  const NewObject stone = tombstone_of(oids, reason);
  TRY(note_tombstones(store, std::array{stone.oid}));
  const auto tip = TRY(store.ref(kMain));
  auto objects = history.turn(tip, "it is gone");
  objects.push_back(reason);
  objects.push_back(stone);
  Transaction change = move_ref(kMain, tip, history.last(), std::move(objects));
  change.erase = oids;
  return store.commit(change);
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_SUITE("store/erased") {
  TEST_CASE_TEMPLATE("a commit may erase: all of it happens, or nothing", Kept, InMemory,
                     InSqlite) {
    Kept kept;
    History history;
    REQUIRE(append(kept.store(), history, "main", "secret"));
    const Oid first = history.last();
    const Oid text = blob("secret").oid;
    REQUIRE(kept.store().put_cached("state", "secret"));

    Transaction wrong = move_ref(kMain, {}, first);
    wrong.erase = {text};
    wrong.refs[0].before = blob("elsewhere").oid;
    wrong.refs[0].after = blob("another").oid;
    CHECK(kept.store().commit(wrong).error().code == Error::Code::conflict);
    CHECK(kept.store().has(std::array{text}).value()[0]);

    REQUIRE(erase(kept.store(), history, {text}, "it was mine"));
    kept.reopen();
    CHECK_FALSE(kept.store().has(std::array{text}).value()[0]);
    CHECK_FALSE(kept.store().cached("state").value());
    CHECK(kept.store().ref(kMain).value() == history.last());
    const FsckReport report = fsck(kept.store()).value();
    CHECK(report.is_sound());
    REQUIRE(report.absent.size() == 1);
    CHECK(report.absent[0].oid == text);
    CHECK(report.absent[0].reason == "erased");
  }

  TEST_CASE_TEMPLATE("an erased content reads as why it is gone, an absent one not at all", Kept,
                     InMemory, InSqlite) {
    Kept kept;
    History history;
    REQUIRE(append(kept.store(), history, "main", "secret"));
    REQUIRE(append(kept.store(), history, "main", "lost"));
    REQUIRE(erase(kept.store(), history, {blob("secret").oid}, "it was mine"));
    REQUIRE(kept.store().erase(std::array{blob("lost").oid}));
    const Reader reader(kept.store());
    CHECK(*reader.content(blob("secret").oid).value() == "[erased: it was mine]");
    CHECK(reader.content(blob("lost").oid).error().code == Error::Code::not_found);
    CHECK(is_erasure_text(*reader.content(blob("secret").oid).value()));
    CHECK(reader.erased().reason_of(blob("secret").oid).value() == "it was mine");
    CHECK_FALSE(reader.erased().reason_of(blob("lost").oid).value());
  }

  TEST_CASE("a long content of which a part is gone is gone") {
    MemoryStore store;
    std::string text(kMaxBlobContent + 1, 'x');
    for (std::size_t i = 0; i < text.size(); i += 1'000) text[i] = static_cast<char>('a' + i % 23);
    const auto objects = encode_content(text, Salter());
    REQUIRE(store.put(objects));
    const NewObject reason = blob("");
    const NewObject stone = tombstone_of({objects[1].oid}, reason);
    REQUIRE(note_tombstones(store, std::array{stone.oid}));
    REQUIRE(store.put(std::array{reason, stone}));
    REQUIRE(store.erase(std::array{objects[1].oid}));
    CHECK(*Reader(store).content(objects.back().oid).value() == "[erased]");
  }

  TEST_CASE("a reader learns of what another erases meanwhile") {
    MemoryStore store;
    History history;
    REQUIRE(append(store, history, "main", "one"));
    REQUIRE(append(store, history, "main", "two"));
    const Reader reader(store);
    CHECK_FALSE(reader.erased().has_any().value());
    REQUIRE(erase(store, history, {blob("one").oid}, "first"));
    CHECK(reader.erased().has_any().value());
    REQUIRE(erase(store, history, {blob("two").oid}, "second"));
    CHECK(*reader.content(blob("two").oid).value() == "[erased: second]");
  }

  TEST_CASE("texts that are like an erasure's, and texts that are not") {
    CHECK(is_erasure_text(erasure_text("")));
    CHECK(is_erasure_text(erasure_text("a ] b")));
    for (const char* other : {"", "{}", "[]", "[erased", "[erased:]x", "[\"erased: x\"]"}) {
      CHECK_FALSE(is_erasure_text(other));
    }
  }

  TEST_CASE("after compact() no byte of it is in the file, its log or its index") {
    InSqlite kept;
    History history;
    const std::string secret = "a word that stands nowhere else: xyzzy-plugh-4711";
    for (int i = 0; i < 50; ++i) {
      REQUIRE(append(kept.store(), history, "main", "before " + std::to_string(i)));
    }
    REQUIRE(append(kept.store(), history, "main", secret));
    const std::string path = kept.folder / "store.spoor";
    {
      const auto index = TextIndex::open(text_index_path(path), 0600).value();
      REQUIRE(index->update([&]() -> Result<void> {
        TRY(index->add_commit(history.last()));
        return index->add_text(history.last(), blob(secret).oid, secret);
      }));
    }
    REQUIRE(erase(kept.store(), history, {blob(secret).oid}, "it was mine"));
    CHECK(kept.store().local(kUnfinishedErasure).value());
    REQUIRE(kept.store().compact());
    CHECK_FALSE(kept.store().local(kUnfinishedErasure).value());
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kept.folder.path())) {
      CAPTURE(entry.path().string());
      ++files;
      const std::string bytes = bytes_of(entry.path());
      CHECK(bytes.find("xyzzy") == std::string::npos);
      CHECK(bytes.find("4711") == std::string::npos);
    }
    CHECK(files >= 3);
    CHECK(fsck(kept.store()).value().is_sound());
  }

  TEST_CASE("a reader in the way of compact() is said, and trying again ends it") {
    InSqlite kept;
    History history;
    REQUIRE(append(kept.store(), history, "main", "secret"));
    {
      Database other(kept.folder / "store.spoor");
      other.run("BEGIN; SELECT count(*) FROM objects");
      REQUIRE(erase(kept.store(), history, {blob("secret").oid}, "why"));
      const auto compacted = kept.store().compact();
      REQUIRE_FALSE(compacted);
      CHECK(compacted.error().code == Error::Code::unavailable);
    }
    REQUIRE(kept.store().compact());
    CHECK_FALSE(kept.store().local(kUnfinishedErasure).value());
  }

  TEST_CASE("an archive brings tombstones along, and not what was erased here") {
    MemoryStore from;
    History history;
    REQUIRE(append(from, history, "main", "secret"));
    std::string whole;
    const auto to_whole = [&whole](std::string_view text) {
      whole += text;
      return Result<void>();
    };
    REQUIRE(write_archive(from, {.refs = from.refs("").value()}, to_whole));
    REQUIRE(erase(from, history, {blob("secret").oid}, "why"));
    std::string rest;
    const auto to_rest = [&rest](std::string_view text) {
      rest += text;
      return Result<void>();
    };
    REQUIRE(write_archive(from, {.refs = from.refs("").value()}, to_rest));
    CHECK(rest.find("secret") == std::string::npos);

    const auto receive = [](Store& store, std::string_view bytes) {
      std::size_t at = 0;
      return receive_archive(store, false, [&](std::span<char> into) -> Result<std::size_t> {
        const std::size_t count = std::min(into.size(), bytes.size() - at);
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, into.begin());
        at += count;
        return count;
      });
    };
    MemoryStore to;
    REQUIRE(receive(to, rest));
    CHECK(*Reader(to).content(blob("secret").oid).value() == "[erased: why]");
    const auto again = receive(to, whole);
    REQUIRE(again);
    CHECK(again->left_out == 1);
    CHECK_FALSE(to.has(std::array{blob("secret").oid}).value()[0]);
  }
}
