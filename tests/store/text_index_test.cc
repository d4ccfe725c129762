// The index of words as a file: power cuts, and what cannot be emptied.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <random>

#include "store/sha256.h"
#include "store/sqlite/text_index.h"
#include "tests/store/chores.h"
#include "tests/store/faults.h"
#include "tests/store/power_log.h"
#include "tests/store/temp_dir.h"
#include "tests/store/watched_vfs.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

constexpr std::size_t kIndexUpdates = 12;

Oid indexed_commit(std::size_t i) { return sha256("commit " + std::to_string(i)); }

std::string indexed_text(std::size_t i) {
  return "all of number" + std::to_string(i) + " " + words_of(1'500, i);
}

Result<void> index_one(TextIndex& index, std::size_t i) {
  return index.update([&]() -> Result<void> {
    TRY(index.add_commit(indexed_commit(i), {1, i}, Timestamp{}));
    TRY(index.add_text(indexed_commit(i), sha256(indexed_text(i)), indexed_text(i)));
    return index.set_mark(std::to_string(i + 1));
  });
}

}  // namespace

TEST_SUITE("store/text_index") {
  TEST_CASE("gc and rebuild do without emptying the index, an erasure does not") {
    const TempDir folder;
    const std::string path = folder / "store";
    const auto store = SqliteStore::create(path).value();
    std::filesystem::create_directory(text_index_path(path));  // What nobody can open as a file.
    const Reader reader(*store);
    REQUIRE(append_turn(*store, reader, branch_ref("main"), "kept"));
    REQUIRE(append_turn(*store, reader, branch_ref("side"), "dropped"));
    REQUIRE(drop_branch(*store, "side"));
    REQUIRE(collect_garbage(*store));
    CHECK_FALSE(store->has(std::array{blob("dropped").oid}).value()[0]);
    CHECK(store->properties({}).value().erasures == 1);
    REQUIRE(store->rebuild());
    CHECK(store->properties({}).value().erasures == 2);
    const auto erased = store->erase(std::array{blob("kept").oid});
    REQUIRE_FALSE(erased);
    CHECK(erased.error().code == Error::Code::io);
    CHECK(store->properties({}).value().erasures == 3);
  }

  TEST_CASE("whenever the power goes, the index is as its mark says") {
    const TempDir folder;
    const std::string path = folder / "store-search";
    const std::string journal = path + "-journal";
    PowerLog log({path, journal});
    {
      const WatchedVfs vfs([&log](const WatchedVfs::Deed& deed) { return log.note(deed); });
      const auto index = TextIndex::open(path, 0600).value();
      for (std::size_t i = 0; i < kIndexUpdates; ++i) REQUIRE(index_one(*index, i));
    }
    std::mt19937_64 random(2);
    const std::string cut_path = folder / "cut-search";
    std::size_t cuts = 0;
    for (std::size_t moment = 0; moment <= log.now(); moment += 1 + random() % 2) {
      CAPTURE(moment);
      const auto files = log.cut(moment, random);
      write_bytes(cut_path, files.at(path));
      write_bytes(cut_path + "-journal", files.at(journal));
      const auto index = TextIndex::open(cut_path, 0600);
      REQUIRE_MESSAGE(index, (index ? "" : index.error().message));
      const std::string mark = (*index)->mark().value();
      const std::size_t indexed = mark.empty() ? 0 : std::stoul(mark);
      const auto all = (*index)->match("\"all\"");
      REQUIRE_MESSAGE(all, (all ? "" : all.error().message));
      CHECK(all->size() == indexed);
      for (std::size_t i = 0; i < indexed; ++i) {
        const auto found = (*index)->match("\"number" + std::to_string(i) + "\"").value();
        REQUIRE(found.size() == 1);
        CHECK(found[0].commit == indexed_commit(i));
      }
      const auto added = index_one(**index, kIndexUpdates + indexed);
      CHECK_MESSAGE(added, (added ? "" : added.error().message));
      ++cuts;
    }
    CHECK(cuts > 50);
  }

  TEST_CASE("where the disk fails, the index is as its mark says, and opened again it goes on") {
    const std::map<Trouble, Struck> floors = {
        {Trouble::full, {{"write", 134}, {"sync", 13}, {"remove", 4}}},
        {Trouble::broken, {{"write", 134}, {"sync", 13}, {"remove", 4}}},
        {Trouble::unreadable, {{"read", 10}}},
        {Trouble::unopenable, {{"open", 5}}},
    };
    for (const auto& each : floors) {
      const Trouble trouble = each.first;
      CAPTURE(static_cast<int>(trouble));
      Struck struck;
      for (std::size_t number = 0;; ++number) {
        CAPTURE(number);
        const TempDir folder;
        const std::string path = folder / "store-search";
        Fault fault(trouble, number);
        {
          const WatchedVfs watch(fault.gate(), fault.look_gate());
          auto index = TextIndex::open(path, 0600);
          for (std::size_t i = 0; index && i < 4; ++i) {
            const auto done = index_one(**index, i);
            if (done) continue;
            INFO(done.error().message);
            CHECK(done.error().code == Error::Code::io);
            fault.mend();
            index = Result<std::unique_ptr<TextIndex>>(io_error("closed"));
            index = TextIndex::open(path, 0600);  // As the next search does.
            REQUIRE(index);
            REQUIRE(index_one(**index, i));
          }
          if (!index) CHECK(index.error().code == Error::Code::io);
        }
        const auto index = TextIndex::open(path, 0600).value();
        const std::string mark = index->mark().value();
        CHECK(index->match("\"all\"")->size() == (mark.empty() ? 0 : std::stoul(mark)));
        REQUIRE(index_one(*index, kIndexUpdates));
        if (fault.struck().empty()) break;
        ++struck[fault.struck()];
      }
      MESSAGE("what failed was " << shown_struck(struck));
      CHECK(reaches(struck, each.second));
    }
  }
}
