// Random histories, swept at random: whatever a ref, HEAD, an operation within the retention or a
// summary needs is still there, compiles to the same prompt, and can be gone back to.
#include <doctest/doctest.h>

#include <array>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "graph/merge.h"
#include "graph/refs.h"
#include "graph/repository.h"
#include "store/fsck.h"
#include "store/memory_store.h"
#include "store/references.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/temp_dir.h"
#include "tests/support/ports.h"
#include "tests/support/soak.h"

using namespace spoor;
using spoor::Result;
using store::Oid;

namespace {

class World {
 public:
  World(std::unique_ptr<store::Store> store, std::uint64_t seed)
      : engine_(spoor::testing::seeded(seed)) {
    graph::Repository::Options options;
    options.clock = clock_;
    repository_ = graph::Repository::over(std::move(store), options).value();
  }

  void step() {
    clock_->advance(below(20));
    switch (below(12)) {
      case 0:
        return reset();
      case 1:
        return drop_branch();
      case 2:
        return merge();
      case 3:
        return compress();
      case 4:
        return tag();
      case 5:
        head_ = tips().empty() ? std::nullopt : std::optional(one_of(tips()));
        return;
      case 6:
        return annotate();
      case 7:
        return about();
      case 8:
        return put_alone();
      default:
        return append();
    }
  }

  void collect_and_check() {
    const std::int64_t retention = below(3) == 0 ? 0 : below(200);
    store::GcOptions options;
    options.keep_since = {clock_->now().micros - retention * 1'000'000};
    options.actor = "tester";
    options.roots = [this]() -> Result<std::vector<Oid>> {
      return head_ ? std::vector{*head_} : std::vector<Oid>();
    };

    const std::set<Oid> needed = brute_force(options);
    std::map<Oid, Oid> prompts;
    for (const Oid& oid : needed) {
      if (const auto prompt = repository_->compile(oid)) prompts.emplace(oid, prompt->hash);
    }
    const auto refs = repository_->store().refs("").value();
    std::set<Oid> before = stored();

    const auto garbage = repository_->gc(options);
    REQUIRE_MESSAGE(garbage, garbage.error().message);

    std::set<Oid> expected;
    for (const Oid& oid : before) {
      if (needed.contains(oid)) expected.insert(oid);
    }
    CHECK(stored() == expected);
    CHECK(repository_->store().refs("").value() == refs);
    const auto report = store::fsck(repository_->store()).value();
    for (const auto& problem : report.problems) FAIL_CHECK(problem.subject << problem.message);
    for (const auto& [oid, hash] : prompts) {
      const auto prompt = repository_->compile(oid);
      REQUIRE(prompt);
      CHECK(prompt->hash == hash);
    }
    check_undo();
  }

 private:
  int below(int limit) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(limit)); }

  template <class T>
  T one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }

  std::vector<Oid> tips() {
    std::vector<Oid> all;
    for (const auto& ref : repository_->store().refs("refs/heads/").value()) {
      all.push_back(ref.target);
    }
    return all;
  }

  std::string branch() { return fmt::format("b{}", below(3)); }

  // A commit that some branch leads to, and its branch's ref; nothing on an empty store.
  std::optional<std::pair<std::string, Oid>> somewhere() {
    const auto refs = repository_->store().refs("refs/heads/").value();
    if (refs.empty()) return std::nullopt;
    const auto ref = one_of(refs);
    std::vector<Oid> chain;
    const auto walked = repository_->reader().run(ref.target, 20, [&](const auto& named) {
      chain.push_back(named.oid);
      return true;
    });
    REQUIRE(walked);
    return std::pair(ref.name, one_of(chain));
  }

  void write(const std::function<Result<void>(graph::Draft&)>& body) {
    // Some of what is tried is refused, which is fine: it then made nothing.
    (void)repository_->transact("test", graph::OnConflict::fail, body);
  }

  void append() {
    const std::string text = fmt::format("turn {}", ++count_);
    REQUIRE(repository_->branch(branch()).user(text));
  }

  void reset() {
    if (const auto at = somewhere()) {
      write([&](auto& draft) { return draft.move(at->first, at->second); });
    }
  }

  void drop_branch() {
    if (const auto at = somewhere()) {
      write([&](auto& draft) { return draft.move(at->first, std::nullopt); });
    }
  }

  void merge() {
    const auto into = somewhere();
    if (!into) return;
    const Oid source = one_of(tips());
    write([&](auto& draft) -> Result<void> {
      TRY(graph::merge(draft, repository_->reader(), repository_->folder(), into->first, source,
                       graph::MergeRequest{}));
      return {};
    });
  }

  void compress() {
    if (const auto at = somewhere()) {
      const compile::Turn summary{.type = compile::Type::summary,
                                  .text = fmt::format("summary {}", ++count_)};
      write([&](auto& draft) -> Result<void> {
        TRY(draft.compress(at->first, {}, summary, {}));
        return {};
      });
    }
  }

  void tag() {
    if (const auto at = somewhere()) {
      const std::string name = fmt::format("t{}", below(3));
      write([&](auto& draft) { return draft.move(store::tag_ref(name), at->second); });
    }
  }

  void annotate() {
    if (const auto at = somewhere()) {
      write([&](auto& draft) -> Result<void> {
        TRY(draft.annotate(at->first, at->second, compile::Priority::pinned, "", {}));
        return {};
      });
    }
  }

  // A note about a turn, on a ref of its own.
  void about() {
    if (const auto at = somewhere()) {
      compile::Turn note{.type = compile::Type::note, .text = fmt::format("note {}", ++count_)};
      note.about = {at->second};
      write([&](auto& draft) -> Result<void> {
        TRY(draft.append("refs/notes/test", note));
        return {};
      });
    }
  }

  void put_alone() {
    const auto draft = repository_->draft();
    REQUIRE(draft->append_to(
        {}, compile::Turn{.type = compile::Type::user, .text = fmt::format("alone {}", ++count_)}));
    REQUIRE(draft->write("test"));
  }

  std::set<Oid> stored() {
    std::set<Oid> all;
    REQUIRE(repository_->store().scan(
        [&](const store::StoredObject& each) { return all.insert(each.oid), true; }));
    return all;
  }

  // All that is needed, found out the slow way: from each root, one object at a time.
  std::set<Oid> brute_force(const store::GcOptions& options) {
    const store::Store& store = repository_->store();
    std::vector<Oid> open = options.roots().value();
    for (const auto& ref : store.refs("").value()) open.push_back(ref.target);
    const auto log = store.operations(0, 1'000'000).value();
    std::uint64_t past = 0;
    for (const auto& logged : log) {
      const auto operation = store::parse_operation(logged.body).value();
      const bool is_past = operation.time < options.keep_since;
      if (is_past) past = logged.number;
      // The first one alone is not worth a checkpoint.
      const bool is_next_past =
          is_past && log.size() > 1 &&
          store::parse_operation(log[1].body).value().time < options.keep_since;
      if (is_past && (logged.number != log.front().number || is_next_past)) continue;
      for (const auto& move : operation.refs) {
        if (move.before) open.push_back(*move.before);
        if (move.after) open.push_back(*move.after);
      }
    }
    for (const Oid& oid : store.loose(past).value()) open.push_back(oid);
    std::set<Oid> needed;
    while (!open.empty()) {
      const Oid oid = open.back();
      open.pop_back();
      if (!needed.insert(oid).second) continue;
      const auto object = store.get(std::array{oid}).value()[0];
      REQUIRE(object);
      for (const auto& reference : store::references_of(*object).value()) {
        open.push_back(reference.oid);
      }
    }
    return needed;
  }

  // Every step that the log still tells can be taken back.
  void check_undo() {
    for (const auto& logged : repository_->store().operations(0, 1'000'000).value()) {
      const auto operation = store::parse_operation(logged.body).value();
      for (const auto& move : operation.refs) {
        if (move.before) CHECK(repository_->compile(*move.before));
      }
    }
  }

  std::shared_ptr<testing::ManualClock> clock_ = std::make_shared<testing::ManualClock>();
  std::unique_ptr<graph::Repository> repository_;
  std::optional<Oid> head_;
  std::mt19937_64 engine_;
  int count_ = 0;
};

}  // namespace

TEST_SUITE("graph/gc_property") {
  TEST_CASE("gc keeps all that is needed and nothing else, on random histories") {
    for (std::uint64_t seed = 1; seed <= spoor::testing::rounds(20U); ++seed) {
      CAPTURE(seed);
      const store::TempDir folder;
      World world(seed % 4 == 0 ? std::unique_ptr<store::Store>(
                                      store::SqliteStore::create(folder / "store.spoor").value())
                                : std::make_unique<store::MemoryStore>(),
                  seed);
      for (int round = 0; round < 6; ++round) {
        for (int i = 0; i < 25; ++i) world.step();
        world.collect_and_check();
      }
    }
  }
}
