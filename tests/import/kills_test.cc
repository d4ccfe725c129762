// An import that is killed leaves a front of itself, and importing again makes it whole.
// A suite of its own, and a test of its own for ctest: it takes its time.

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <random>

#include "store/ancestry.h"
#include "store/fsck.h"
#include "tests/import/support.h"
#include "tests/store/child.h"
#include "tests/store/temp_dir.h"
#include "tests/store/watched_vfs.h"
#include "tests/support/soak.h"

using namespace import_test;
using spoor::import::import_source;
using spoor::import::TextSource;
using spoor::store::Child;
using spoor::store::Shared;
using spoor::store::TempDir;
using spoor::store::WatchedVfs;

namespace {

constexpr int kTurns = 3'000;
const unsigned kKills = spoor::testing::rounds(30U);

std::string id_of(int turn) {
  std::string digits = std::to_string(turn);
  digits.insert(0, 12 - digits.size(), '0');
  return "fd02cdb0-48a8-41d1-ae58-" + digits;
}

// A session of so many turns that it is written in several batches; now and then one is answered
// twice, so that there are several lines.
std::string long_session() {
  std::mt19937 random(spoor::testing::seeded(5));
  std::string text;
  for (int turn = 0; turn < kTurns; ++turn) {
    std::string words = "turn " + std::to_string(turn);
    while (words.size() < 6'000) words += " word" + std::to_string(random() % 50'000);
    const int parent = turn % 500 == 499 ? turn - 3 : turn - 1;
    const std::string role = turn % 2 == 0 ? "user" : "assistant";
    text += R"({"parentUuid":)" + (turn == 0 ? "null" : '"' + id_of(parent) + '"') +
            R"(,"isSidechain":false,"userType":"external","cwd":"/home/dev",)"
            R"("sessionId":"d8b06f3e-57a1-4c92-9e4d-6a2c81f0b735","version":"2.1.31","type":")" +
            role + R"(","message":{"role":")" + role + R"(","content":[{"type":"text","text":")" +
            words + R"("}]},"uuid":")" + id_of(turn) +
            R"(","timestamp":"2026-03-02T09:14:07.137Z"})"
            "\n";
  }
  return text;
}

// What the one who kills and the one who imports share.
struct Import {
  std::atomic<int> writes = 0;  // To the store and its log, so far.
  std::atomic<int> last = -1;   // The write before which the import waits to be killed.
  std::atomic<bool> is_waiting = false;
};

// Imports into a store that is there, in a process of its own, which it ends: to close the store
// would pack it, and that takes longer than all else.
int import_into(const std::string& path, const std::string& text, Import& state) {
  bool is_importing = false;
  const WatchedVfs watch([&](WatchedVfs::Act, const std::string&) {
    if (!is_importing || state.writes++ != state.last) return;
    state.is_waiting = true;
    for (int i = 0; i < 100'000; ++i) usleep(100);
  });
  const auto repository = Repository::open(path);
  if (!repository) return 1;
  TextSource source("session.jsonl", text);
  is_importing = true;
  const auto done = import_source(source, **repository, {});
  _exit(done ? 0 : 2);
}

std::unique_ptr<Repository> opened(const std::string& path) {
  return Repository::open(path).value();
}

}  // namespace

TEST_SUITE("import/kills") {
  TEST_CASE("an import that is killed leaves a front of itself, and the next one finishes it") {
    const std::string text = long_session();
    const TempDir folder;
    const std::string whole = folder / "whole.spoor";
    REQUIRE(Repository::create(whole));
    Shared<Import> unbroken;
    CHECK(Child([&] { return import_into(whole, text, *unbroken); }).wait() == 0);
    const std::string finished = refs_text(*opened(whole));
    REQUIRE(unbroken->writes > 1'000);

    std::mt19937 random(spoor::testing::seeded(6));
    unsigned empty = 0;
    unsigned some = 0;
    for (unsigned kill = 0; kill < kKills; ++kill) {
      CAPTURE(kill);
      const TempDir place;
      const std::string path = place / "store.spoor";
      REQUIRE(Repository::create(path));
      Shared<Import> state;
      // One in each thirtieth of the import, somewhere in it.
      const int share = unbroken->writes / static_cast<int>(kKills);
      state->last = static_cast<int>(kill) * share + static_cast<int>(random() % 997) % share;
      {
        Child import([&] { return import_into(path, text, *state); });
        for (int i = 0; i < 60'000 && !state->is_waiting; ++i) usleep(1'000);
        REQUIRE(state->is_waiting);
        import.kill();
      }
      std::vector<spoor::store::Ref> left;
      {
        const auto repository = opened(path);
        CHECK(spoor::store::fsck(repository->store())->is_sound());
        left = repository->store().refs("refs/").value();
        CHECK(refs_text(*repository) != finished);
      }
      ++(left.empty() ? empty : some);

      Shared<Import> again;
      CHECK(Child([&] { return import_into(path, text, *again); }).wait() == 0);
      const auto repository = opened(path);
      CHECK(refs_text(*repository) == finished);
      if (kill % 10 == 0) CHECK(spoor::store::fsck(repository->store())->is_sound());
      for (const auto& ref : left) {
        CAPTURE(ref.name);
        const auto now = repository->store().ref(ref.name).value();
        REQUIRE(now);
        CHECK(spoor::store::is_ancestor(repository->reader(), ref.target, *now).value());
      }
    }
    MESSAGE("killed at " << kKills << " of " << unbroken->writes.load() << " writes: " << empty
                         << " before the first batch was there, " << some << " behind one");
    CHECK(empty >= 7);
    CHECK(some >= 18);
  }
}
