// What is read in place of erased contents, and that their bytes are nowhere.
#include "store/erased.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "store/archive.h"
#include "store/archive_reader.h"
#include "store/attest.h"
#include "store/fsck.h"
#include "store/own_tombstones.h"
#include "store/reader.h"
#include "store/signature.h"
#include "store/sqlite/text_index.h"
#include "store/tombstone.h"
#include "tests/store/database.h"
#include "tests/store/engines.h"
#include "tests/store/sample.h"

using namespace spoor;
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
  const auto tip = TRY(store.ref(kMain));
  auto objects = history.turn(tip, "it is gone");
  objects.push_back(reason);
  objects.push_back(stone);
  Transaction change = move_ref(kMain, tip, history.last(), std::move(objects));
  change.erase = oids;
  TRY(list_own_tombstones(store, std::array{stone.oid}, change));
  return store.commit(change);
}

std::string archive_of(const Store& store) {
  std::string bytes;
  const auto sink = [&bytes](std::string_view text) {
    bytes += text;
    return Result<void>();
  };
  REQUIRE(write_archive(store, {.refs = store.refs("").value()}, sink));
  return bytes;
}

Result<Received> receive(Store& store, std::string_view bytes) {
  std::size_t at = 0;
  return receive_archive(store, {}, [&](std::span<char> into) -> Result<std::size_t> {
    const std::size_t count = std::min(into.size(), bytes.size() - at);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, into.begin());
    at += count;
    return count;
  });
}

std::size_t count_of(const Store& store, Kind kind) {
  return store.find("", kind, 9).value().size();
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_SUITE("store/erased") {
  TEST_CASE_TEMPLATE("a commit may erase: all of it happens, or nothing", Kept, STORES) {
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
                     STORES) {
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

  TEST_CASE_TEMPLATE("a long content of which a part is gone is gone", Kept, STORES) {
    Kept kept;
    Store& store = kept.store();
    std::string text(kMaxBlobContent + 1, 'x');
    for (std::size_t i = 0; i < text.size(); i += 1'000) text[i] = static_cast<char>('a' + i % 23);
    const auto objects = encode_content(text, Salter());
    REQUIRE(store.put(objects));
    const NewObject reason = blob("");
    const NewObject stone = tombstone_of({objects[1].oid}, reason);
    Transaction change;
    change.objects = {reason, stone};
    REQUIRE(list_own_tombstones(store, std::array{stone.oid}, change));
    REQUIRE(store.commit(change));
    REQUIRE(store.erase(std::array{objects[1].oid}));
    CHECK(*Reader(store).content(objects.back().oid).value() == "[erased]");
  }

  TEST_CASE_TEMPLATE("a reader learns of what another erases meanwhile", Kept, STORES) {
    Kept kept;
    Store& store = kept.store();
    History history;
    REQUIRE(append(store, history, "main", "one"));
    REQUIRE(append(store, history, "main", "two"));
    const Reader reader(store);
    CHECK_FALSE(reader.erased().has_any().value());
    REQUIRE(erase(kept.another(), history, {blob("one").oid}, "first"));
    CHECK(reader.erased().has_any().value());
    REQUIRE(erase(kept.another(), history, {blob("two").oid}, "second"));
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
        TRY(index->add_commit(history.last(), {1, 0}, Timestamp{}));
        return index->add_text(history.last(), blob(secret).oid, secret);
      }));
    }
    REQUIRE(erase(kept.store(), history, {blob(secret).oid}, "it was mine"));
    CHECK(kept.store().property(kUnfinishedErasure).value());
    REQUIRE(kept.store().compact());
    CHECK_FALSE(kept.store().property(kUnfinishedErasure).value());
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
    CHECK_FALSE(kept.store().property(kUnfinishedErasure).value());
  }

  TEST_CASE_TEMPLATE("an archive brings tombstones along, and not what was erased here", Kept,
                     STORES) {
    Kept kept_from;
    Store& from = kept_from.store();
    History history;
    REQUIRE(append(from, history, "main", "secret"));
    const std::string whole = archive_of(from);
    REQUIRE(erase(from, history, {blob("secret").oid}, "why"));
    const std::string rest = archive_of(from);
    CHECK(rest.find("secret") == std::string::npos);

    Kept kept_to;
    Store& to = kept_to.store();
    REQUIRE(receive(to, rest));
    CHECK(*Reader(to).content(blob("secret").oid).value() == "[erased: why]");
    const auto again = receive(from, whole);
    REQUIRE(again);
    CHECK(again->left_out == 1);
    CHECK_FALSE(from.has(std::array{blob("secret").oid}).value()[0]);
    REQUIRE(from.compact());  // Until then the erasure of a file is not finished.
    CHECK(fsck(from).value().remarks.empty());
  }

  TEST_CASE_TEMPLATE("a tombstone that an archive brought forbids nothing and hides nothing", Kept,
                     STORES) {
    Kept kept_mallory;
    Store& mallory = kept_mallory.store();
    History theirs;
    REQUIRE(append(mallory, theirs, "theirs", "something"));
    const NewObject reason = blob("mallory says so");
    const NewObject stone = tombstone_of({blob("here").oid, blob("not yet").oid}, reason);
    REQUIRE(mallory.put(std::array{reason, stone}));
    const std::string forged = archive_of(mallory);

    Kept kept_victim;
    Store& victim = kept_victim.store();
    History history;
    REQUIRE(append(victim, history, "main", "here"));
    const std::string before = archive_of(victim);
    REQUIRE(receive(victim, forged));
    const Reader reader(victim);
    CHECK(*reader.content(blob("here").oid).value() == "here");
    CHECK_FALSE(own_erasure_of(victim, blob("not yet").oid).value());
    CHECK(reader.erased().reason_of(blob("not yet").oid).value() == "mallory says so");

    // What is here goes out, and what comes is taken.
    Kept kept_third;
    Store& third = kept_third.store();
    REQUIRE(receive(third, archive_of(victim)));
    CHECK(third.has(std::array{blob("here").oid}).value()[0]);
    CHECK(fsck(third).value().is_sound());
    REQUIRE(append(mallory, theirs, "theirs", "not yet"));
    CHECK(receive(victim, archive_of(mallory)).value().left_out == 0);
    CHECK(*reader.content(blob("not yet").oid).value() == "not yet");

    // It is named, and so is who signed it.
    const auto unsigned_one = fsck(victim).value();
    CHECK(unsigned_one.is_sound());
    REQUIRE(unsigned_one.remarks.size() == 1);
    CHECK(unsigned_one.remarks[0].subject == stone.oid.hex());
    CHECK(unsigned_one.remarks[0].message ==
          "records 2 names as erased, and was not made here: not signed");
    const Attest attest = sign(std::string(kSigningKeyBytes, 'm'), stone.oid).value();
    REQUIRE(victim.put(std::array{new_object(Kind::attest, serialize(attest))}));
    CHECK(fsck(victim).value().remarks[0].message.find("signed by " + Oid{attest.key}.hex()) !=
          std::string::npos);
  }

  TEST_CASE_TEMPLATE("an archive that is refused leaves no tombstone behind", Kept, STORES) {
    Kept kept_mallory;
    Store& mallory = kept_mallory.store();
    History theirs;
    REQUIRE(append(mallory, theirs, "theirs", "something"));
    const NewObject reason = blob("mallory says so");
    const NewObject stone = tombstone_of({blob("here").oid}, reason);
    const Attest attest = sign(std::string(kSigningKeyBytes, 'm'), stone.oid).value();
    REQUIRE(mallory.put(std::array{reason, stone, new_object(Kind::attest, serialize(attest))}));
    const std::string whole = archive_of(mallory);
    std::string wrong_end = whole;
    wrong_end[wrong_end.size() - 2] ^= 1;
    for (const std::string& bytes : {wrong_end, whole.substr(0, whole.size() - 70), whole + "x"}) {
      Kept kept_victim;
      Store& victim = kept_victim.store();
      CHECK(receive(victim, bytes).error().code == Error::Code::corrupt);
      CHECK(count_of(victim, Kind::tombstone) == 0);
      CHECK(count_of(victim, Kind::attest) == 0);
      CHECK_FALSE(Reader(victim).erased().has_any().value());
    }
    Kept kept_victim;
    Store& victim = kept_victim.store();
    REQUIRE(receive(victim, whole));
    CHECK(count_of(victim, Kind::tombstone) == 1);
    CHECK(count_of(victim, Kind::attest) == 1);
  }

  TEST_CASE_TEMPLATE("an archive with a signature that its key never made is refused", Kept,
                     STORES) {
    Kept kept_mallory;
    Store& mallory = kept_mallory.store();
    History theirs;
    REQUIRE(append(mallory, theirs, "theirs", "something"));
    const NewObject reason = blob("");
    const NewObject stone = tombstone_of({blob("here").oid}, reason);
    Attest attest = sign(std::string(kSigningKeyBytes, 'm'), stone.oid).value();
    attest.sig[0] ^= 1U;
    REQUIRE(mallory.put(std::array{reason, stone, new_object(Kind::attest, serialize(attest))}));
    CHECK_FALSE(fsck(mallory).value().is_sound());
    Kept kept_victim;
    Store& victim = kept_victim.store();
    CHECK(receive(victim, archive_of(mallory)).error().code == Error::Code::corrupt);
    CHECK(count_of(victim, Kind::tombstone) == 0);
  }

  TEST_CASE_TEMPLATE("no tombstone explains a commit that is missing", Kept, STORES) {
    Kept kept_mallory;
    Store& mallory = kept_mallory.store();
    History theirs;
    REQUIRE(append(mallory, theirs, "theirs", "one"));
    const Oid first = theirs.last();
    REQUIRE(append(mallory, theirs, "theirs", "two"));
    const NewObject reason = blob("");
    const NewObject stone = tombstone_of({first}, reason);
    REQUIRE(mallory.put(std::array{reason, stone}));
    REQUIRE(mallory.erase(std::array{first}));
    Kept kept_victim;
    Store& victim = kept_victim.store();
    CHECK(receive(victim, archive_of(mallory)).error().code == Error::Code::corrupt);
  }

  TEST_CASE("an erasure that is not finished is named") {
    InSqlite kept;
    History history;
    REQUIRE(append(kept.store(), history, "main", "secret"));
    REQUIRE(erase(kept.store(), history, {blob("secret").oid}, "why"));
    const auto report = fsck(kept.store()).value();
    CHECK(report.is_sound());
    REQUIRE(report.remarks.size() == 1);
    CHECK(report.remarks[0].message.find("not finished") != std::string::npos);
    REQUIRE(kept.store().compact());
    CHECK(fsck(kept.store()).value().remarks.empty());
  }
}
