// A disk that does not give what it has: each read, and each opening of a file, fails once.
#include <doctest/doctest.h>

#include <optional>

#include "store/fsck.h"
#include "store/reader.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/chores.h"
#include "tests/store/temp_dir.h"
#include "tests/store/watched_vfs.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

using Look = WatchedVfs::Look;

constexpr std::uint64_t kTurnsBefore = 12;

// All that a turn of work does, until something fails.
Result<void> work(const std::string& path) {
  const auto store = TRY(SqliteStore::open(path));
  const Reader reader(*store);
  const auto tip = TRY(store->ref(branch_ref("main")));
  TRY(store->operations(0, 100));
  TRY(store->has(std::array{*tip}));
  TRY(store->run(*tip, 100, Store::kAllContents, [](const Store::RunStep&) { return true; }));
  TRY(append_turn(*store, reader, branch_ref("main"), words_of(900, kTurnsBefore)));
  return {};
}

// Works with the `nth` of these refused: what became of it, and nothing when there were fewer.
std::optional<Result<void>> work_refused(const std::string& path, Look what, int code, int nth) {
  int count = 0;
  const WatchedVfs watch(WatchedVfs::LookGate([&](Look look, const std::string&) {
    return look == what && ++count == nth ? code : SQLITE_OK;
  }));
  auto done = work(path);
  if (count < nth) return std::nullopt;
  return done;
}

// Returns how many failed.
std::size_t check_each_refused(Look what, int code, bool is_logged) {
  std::size_t failed = 0;
  for (int nth = 1;; ++nth) {
    CAPTURE(nth);
    const TempDir folder;
    const std::string path = folder / "store";
    {
      const auto store = SqliteStore::create(path).value();
      const Reader reader(*store);
      for (std::uint64_t i = 0; i < kTurnsBefore; ++i) {
        append_turn(*store, reader, branch_ref("main"), words_of(900, i)).value();
      }
      if (!is_logged) REQUIRE(store->compact());  // Else all is in the log.
    }
    const auto done = work_refused(path, what, code, nth);
    if (!done) return failed;
    if (!*done) {
      INFO(done->error().message);
      CHECK(done->error().code == Error::Code::io);
      ++failed;
    }
    const auto store = SqliteStore::open(path).value();
    CHECK(fsck(*store)->is_sound());
    CHECK(store->operations(0, 100)->size() == kTurnsBefore + (*done ? 1 : 0));
    CHECK(append_turn(*store, Reader(*store), branch_ref("main"), "goes on"));
  }
}

}  // namespace

TEST_SUITE("store/failing_reads") {
  TEST_CASE("a read that fails is the disk's failure, and nothing else") {
    CHECK(check_each_refused(Look::read, SQLITE_IOERR_CORRUPTFS, false) > 5);
    CHECK(check_each_refused(Look::read, SQLITE_IOERR_CORRUPTFS, true) > 5);
    CHECK(check_each_refused(Look::read, SQLITE_IOERR_READ, true) > 5);
  }

  TEST_CASE("a file that cannot be opened is, too") {
    CHECK(check_each_refused(Look::open, SQLITE_CANTOPEN, true) > 0);
  }
}
