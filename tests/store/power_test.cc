// What docs/durability.md promises where the power goes, the disk is full or broken: 500 cuts of a
// mixed workload, and a fault at each call of a scripted session.
#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "store/fsck.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/chores.h"
#include "tests/store/faults.h"
#include "tests/store/old_format.h"
#include "tests/store/power_log.h"
#include "tests/store/temp_dir.h"
#include "tests/store/turns.h"
#include "tests/store/watched_vfs.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

using Durability = SqliteStore::Durability;
using Refs = std::map<std::string, Oid>;

Refs refs_of(const Store& store) {
  Refs refs;
  for (const Ref& ref : store.refs("").value()) refs[ref.name] = ref.target;
  return refs;
}

// Where in the work a cut hits.
enum class Phase { transaction, reply, checkpoint, gc, compact, pack, erase, import, other };
constexpr std::array kPhases = {"inside a transaction",
                                "between commit and reply",
                                "inside a checkpoint",
                                "inside gc",
                                "inside compacting",
                                "inside pack",
                                "inside an erasure",
                                "inside an import",
                                "elsewhere"};

// Steps of a session, each of which returns what it came to.
class Session {
 public:
  explicit Session(std::string path, Durability durability = Durability::full)
      : path_(std::move(path)), durability_(durability) {}

  Result<void> open() {
    store_ = TRY(SqliteStore::open(path_, {.durability = durability_}));
    return {};
  }
  void close() { store_.reset(); }
  Store& store() { return *store_; }

  Result<void> upgrade() {
    CHECK(TRY(store_->upgrade()));
    return {};
  }
  Result<void> append(const std::string& branch, const std::string& text) {
    const Reader reader(*store_);
    TRY(append_turn(*store_, reader, branch_ref(branch), text));
    return {};
  }

 private:
  const std::string path_;
  const Durability durability_;
  std::unique_ptr<SqliteStore> store_;
};

// A workload that was recorded, with what was acknowledged and when.
struct Recorded {
  struct Step {
    Phase phase;
    std::size_t begin, end;  // Moments of the log.
    Refs after;
    std::optional<Oid> erased = {};
  };
  std::string path;
  PowerLog log;
  std::vector<Step> steps;  // The first is the store as it was.

  std::size_t step_at(std::size_t moment) const {
    std::size_t step = 1;
    while (step + 1 < steps.size() && steps[step].end < moment) ++step;
    return step;
  }
  Phase phase_at(std::size_t moment) const {
    const Step& step = steps[step_at(moment)];
    if (step.phase == Phase::transaction && moment == step.end) return Phase::reply;
    const bool is_work = step.phase == Phase::transaction || step.phase == Phase::other;
    if (is_work && log.is_write_to(moment, path)) return Phase::checkpoint;
    return step.phase;
  }
};

Recorded record(const std::string& path, Durability durability) {
  { (void)create_old(path); }
  Recorded recorded{path, PowerLog({path, path + "-wal", path + "-mark"}), {}};
  const WatchedVfs watch(
      WatchedVfs::Gate([&](const WatchedVfs::Deed& deed) { return recorded.log.note(deed); }));
  const std::string archive = archive_of_another_store();
  Session session(path, durability);
  REQUIRE(session.open());
  recorded.steps.push_back({Phase::other, 0, recorded.log.now(), refs_of(session.store())});
  const auto step = [&](Phase phase, const std::function<Result<void>()>& work) {
    const std::size_t begin = recorded.log.now();
    const auto done = work();
    REQUIRE(done);
    recorded.steps.push_back({phase, begin, recorded.log.now(), refs_of(session.store())});
  };
  std::mt19937 random(durability == Durability::full ? spoor::testing::seeded(1)
                                                     : spoor::testing::seeded(2));
  for (std::uint64_t i = 0; i < 240; ++i) {
    const std::string branch = i % 7 == 0 ? "side" : "main";
    if (i == 60) step(Phase::other, [&] { return session.upgrade(); });
    const std::size_t size = random() % 4 == 0 ? random() % 400'000 : random() % 2'000;
    step(Phase::transaction, [&] { return session.append(branch, words_of(size, i)); });
    if (i % 20 == 11) {
      step(Phase::other,
           [&] { return session.store().put(std::array{blob(text_of(500, 5'000 + i))}); });
      step(Phase::other, [&] { return session.store().set_local("HEAD", std::to_string(i)); });
      step(Phase::other, [&] { return session.store().put_cached("k", text_of(5'000, i)); });
    }
    if (i % 60 == 35)
      step(Phase::transaction, [&] { return drop_branch(session.store(), "side"); });
    if (i % 60 == 36) step(Phase::gc, [&] { return collect_garbage(session.store()); });
    if (i % 60 == 40) step(Phase::compact, [&] { return session.store().compact(); });
    if (i % 60 == 45) step(Phase::pack, [&] { return pack(session.store()); });
    if (i % 120 == 47) {
      step(Phase::erase, [&] { return erase_something(session.store(), i); });
      recorded.steps.back().erased = erased_by(i);
    }
    if (i % 60 == 50) step(Phase::other, [&] { return session.store().rebuild(); });
    if (i % 80 == 15)
      step(Phase::import,
           [&] { return import_archive(session.store(), archive, std::to_string(i)); });
    if (i % 90 == 85) {
      step(Phase::other, [&] {
        session.close();
        return session.open();
      });
    }
  }
  session.close();
  return recorded;
}

// 250 moments, and of each phase a few at least.
std::vector<std::size_t> moments_of(const Recorded& recorded, std::mt19937_64& random) {
  std::map<Phase, std::vector<std::size_t>> by_phase;
  for (std::size_t i = recorded.steps[1].begin; i <= recorded.steps.back().end; ++i) {
    by_phase[recorded.phase_at(i)].push_back(i);
  }
  std::vector<std::size_t> moments;
  for (const auto& [phase, all] : by_phase) {
    for (int i = 0; i < spoor::testing::rounds(20); ++i)
      moments.push_back(all[random() % all.size()]);
  }
  const std::size_t first = recorded.steps[1].begin;
  while (moments.size() < spoor::testing::rounds<std::size_t>(250)) {
    moments.push_back(first + random() % (recorded.steps.back().end - first + 1));
  }
  return moments;
}

void cut_power(Durability durability) {
  const TempDir folder;
  const Recorded recorded = record(folder / "store.spoor", durability);
  std::mt19937_64 random(spoor::testing::seeded(7));
  std::map<Phase, int> hits;
  int lost = 0;
  int still_erased = 0;
  const std::string left = folder / "left.spoor";
  for (const std::size_t moment : moments_of(recorded, random)) {
    CAPTURE(moment);
    ++hits[recorded.phase_at(moment)];
    for (const auto& [path, bytes] : recorded.log.cut(moment, random)) {
      write_bytes(left + path.substr(recorded.path.size()), bytes);
    }
    std::filesystem::remove(left + "-shm");
    const auto store = SqliteStore::open(left);
    REQUIRE_MESSAGE(store, store.error().message);
    const FsckReport report = fsck(**store).value();
    for (const auto& problem : report.problems)
      FAIL_CHECK(problem.subject << ": " << problem.message);
    // What was acknowledged before this step; or with it, which had not been answered.
    const Refs refs = refs_of(**store);
    const std::size_t step = recorded.step_at(moment);
    std::size_t found = step + 1;
    while (found > 0 && recorded.steps[found - 1].after != refs) --found;
    REQUIRE(found > 0);
    if (durability == Durability::full) {
      CHECK(found + 1 > step);
      for (std::size_t i = 0; i < step; ++i) {
        const auto& erased = recorded.steps[i].erased;
        if (!erased) continue;
        CHECK_FALSE((*store)->has(std::array{*erased}).value()[0]);
        ++still_erased;
      }
    }
    if (found < step) ++lost;
    // And it can be written.
    Session session(left);
    REQUIRE(session.open());
    REQUIRE(session.append("after", text_of(100, 1)));
  }
  std::string told;
  for (std::size_t i = 0; i < kPhases.size(); ++i) {
    const int count = hits[static_cast<Phase>(i)];
    told += (told.empty() ? "" : ", ") + std::to_string(count) + " " + kPhases[i];
    CHECK(count > 0);
  }
  MESSAGE("the power went " << told << "; acknowledged commits were lost " << lost << " times");
  // Else the cuts took nothing that mattered.
  CHECK((lost > 0) == (durability == Durability::normal));
  CHECK((still_erased > 0) == (durability == Durability::full));
}

// One step after the other, with what the store has to be after each.
struct Script {
  std::string archive = archive_of_another_store();

  std::vector<std::function<Result<void>(Session&)>> steps() const {
    const auto append = [](const char* branch, std::size_t size, std::uint64_t number) {
      return [=](Session& session) { return session.append(branch, text_of(size, number)); };
    };
    return {
        append("main", 10, 1),
        append("main", 9'000, 2),
        append("side", 300'000, 3),
        [](Session& session) { return session.store().put(std::array{blob("loose")}); },
        [](Session& session) { return session.store().set_local("HEAD", "main"); },
        [](Session& session) { return session.store().put_cached("k", "v"); },
        [this](Session& session) { return import_archive(session.store(), archive, "theirs"); },
        [](Session& session) { return drop_branch(session.store(), "side"); },
        [](Session& session) { return collect_garbage(session.store()); },
        [](Session& session) { return session.store().compact(); },
        [](Session& session) { return pack(session.store()); },
        append("main", 200'000, 4),
        [](Session& session) { return session.store().rebuild(); },
        [](Session& session) -> Result<void> {
          TRY(session.store().erase(std::array{blob("loose").oid}));
          return {};
        },
        [](Session& session) {
          session.close();
          return session.open();
        },
        append("main", 10, 5),
    };
  }
};

// Runs the script with a fault at its n-th call that the trouble is with. The call that failed;
// empty when it has no so many.
std::string run_with_fault(const Script& script, const Refs& expected, Trouble trouble,
                           std::size_t number) {
  const TempDir folder;
  const std::string path = folder / "store.spoor";
  REQUIRE(SqliteStore::create(path));
  Fault fault(trouble, number);
  int refusals = 0;
  {
    const WatchedVfs watch(fault.gate(), fault.look_gate());
    Session session(path);
    auto steps = script.steps();
    steps.insert(steps.begin(), [](Session& each) { return each.open(); });
    for (const auto& step : steps) {
      auto done = step(session);
      if (done) continue;
      ++refusals;
      INFO(done.error().message);
      CHECK(done.error().code == Error::Code::io);
      CHECK_FALSE(done.error().message.empty());
      fault.mend();
      // The same session goes on.
      done = step(session);
      REQUIRE_MESSAGE(done, done.error().message);
    }
    fault.mend();
    CHECK(refs_of(session.store()) == expected);
  }
  const auto store = SqliteStore::open(path).value();
  CHECK(refs_of(*store) == expected);
  const FsckReport report = fsck(*store).value();
  for (const auto& problem : report.problems)
    FAIL_CHECK(problem.subject << ": " << problem.message);
  CHECK(refusals <= 1);
  return fault.struck();
}

// What the script comes to where nothing fails.
Refs refs_after(const Script& script) {
  const TempDir folder;
  REQUIRE(SqliteStore::create(folder / "store.spoor"));
  Session session(folder / "store.spoor");
  REQUIRE(session.open());
  for (const auto& step : script.steps()) REQUIRE(step(session));
  return refs_of(session.store());
}

const std::vector<std::pair<Trouble, std::string>> kTroubles = {
    {Trouble::full, "the disk was full at "},
    {Trouble::broken, "what failed was "},
    {Trouble::unreadable, "what failed was "},
    {Trouble::unopenable, "what failed was "},
};

// Tries a fault at one call after the other, until there are no more.
Struck each_struck(const std::function<std::string(std::size_t number)>& run) {
  Struck struck;
  for (std::size_t number = 0;; ++number) {
    CAPTURE(number);
    const std::string call = run(number);
    if (call.empty()) return struck;
    ++struck[call];
  }
}

}  // namespace

TEST_SUITE("store/power") {
  TEST_CASE("where the power goes, full durability loses nothing that was acknowledged") {
    cut_power(Durability::full);
  }

  TEST_CASE("where the power goes, normal durability has a sound store of some moment before") {
    cut_power(Durability::normal);
  }

  TEST_CASE("a fault of the disk is an error, and the session goes on") {
    const Script script;
    const Refs expected = refs_after(script);
    // What was counted, less a tenth.
    const std::map<Trouble, Struck> floors = {
        {Trouble::full, {{"write", 810}, {"sync", 17}, {"truncate", 3}}},
        {Trouble::broken, {{"write", 810}, {"sync", 17}, {"truncate", 3}}},
        {Trouble::unreadable, {{"read", 340}}},
        {Trouble::unopenable, {{"open", 5}}},
    };
    for (const auto& [trouble, told] : kTroubles) {
      const Trouble of = trouble;
      const std::string& shown = told;
      CAPTURE(static_cast<int>(of));
      const Struck struck = each_struck(
          [&](std::size_t number) { return run_with_fault(script, expected, of, number); });
      MESSAGE(shown << shown_struck(struck));
      CHECK(reaches(struck, floors.at(trouble)));
    }
  }

  TEST_CASE("where the disk fails while a store is made, there is none or a sound one") {
    const std::map<Trouble, Struck> floors = {
        {Trouble::full, {{"write", 25}, {"sync", 10}, {"truncate", 1}, {"remove", 3}}},
        {Trouble::broken, {{"write", 25}, {"sync", 10}, {"truncate", 1}, {"remove", 3}}},
        {Trouble::unreadable, {{"read", 13}}},
        {Trouble::unopenable, {{"open", 7}}},
    };
    for (const auto& [trouble, told] : kTroubles) {
      const Trouble of = trouble;
      const std::string& shown = told;
      CAPTURE(static_cast<int>(of));
      const Struck struck = each_struck([of](std::size_t number) {
        const TempDir folder;
        const std::string path = folder / "store.spoor";
        Fault fault(of, number);
        {
          const WatchedVfs watch(fault.gate(), fault.look_gate());
          const auto made = SqliteStore::create(path);
          if (!made) CHECK(made.error().code == Error::Code::io);
        }
        if (!std::filesystem::exists(path)) {
          CHECK(std::filesystem::is_empty(folder.path()));
          REQUIRE(SqliteStore::create(path));
        }
        Session session(path);
        REQUIRE(session.open());
        REQUIRE(session.append("main", "the first"));
        CHECK(fsck(session.store())->is_sound());
        return fault.struck();
      });
      MESSAGE(shown << shown_struck(struck));
      CHECK(reaches(struck, floors.at(trouble)));
    }
  }
}
