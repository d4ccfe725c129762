// A process that has read a commit, and another whose gc takes it meanwhile: nothing is built upon
// what is gone.
#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "graph/merge.h"
#include "graph/refs.h"
#include "graph/repository.h"
#include "graph/rewrite.h"
#include "store/fsck.h"
#include "tests/store/child.h"
#include "tests/store/temp_dir.h"

using namespace spoor;
using graph::Draft;
using graph::OnConflict;
using graph::Repository;
using spoor::Result;
using store::Oid;

namespace {

const std::string kMain = store::branch_ref("main");

enum Stage : int { kBegin, kRead, kSwept };

void wait_for(const std::atomic<int>& stage, int wanted) {
  while (stage != wanted) std::this_thread::yield();
}

// Two turns on main, and another that no ref leads to.
struct History {
  Oid base;
  Oid gone;

  static History write(const std::string& path) {
    const auto repository = Repository::create(path).value();
    auto main = repository->branch("main");
    const Oid base = main.user("base").value();
    const Oid gone = main.user("to be gone").value();
    repository
        ->transact("reset", OnConflict::fail, [&](Draft& draft) { return draft.move(kMain, base); })
        .value();
    return {base, gone};
  }
};

void collect(Repository& repository) {
  store::GcOptions options;
  options.actor = "tester";
  options.keep_since = {spoor::kLastMicro};
  repository.gc(options).value();
}

using Use = std::function<Result<void>(Repository&, Draft&, const History&)>;

// Whether each use of what is gone is refused, by the process that has it at hand.
void check_refused(const Use& use, OnConflict on_conflict = OnConflict::fail) {
  const store::TempDir folder;
  const std::string path = folder / "store.spoor";
  const History history = History::write(path);
  const store::Shared<std::atomic<int>> stage;
  store::Child child([&] {
    const auto repository = Repository::open(path).value();
    repository->reader().commit(history.gone).value();
    repository->compile(history.gone).value();
    *stage = kRead;
    wait_for(*stage, kSwept);
    const auto done = repository->transact(
        "test", on_conflict, [&](Draft& draft) { return use(*repository, draft, history); });
    if (done) return 1;
    if (done.error().code != spoor::Error::Code::not_found) return 2;
    if (repository->compile(history.gone)) return 3;  // It knows now that it is gone.
    return repository->branch("main").user("goes on") ? 0 : 4;
  });
  wait_for(*stage, kRead);
  const auto repository = Repository::open(path).value();
  collect(*repository);
  *stage = kSwept;
  CHECK(child.wait() == 0);
  CHECK(repository->store().refs("refs/").value().size() == 1);
  CHECK(store::fsck(repository->store()).value().is_sound());
}

}  // namespace

TEST_SUITE("graph/gc_race") {
  TEST_CASE("a branch or a tag at a commit that another process's gc took is refused") {
    check_refused([](Repository&, Draft& draft, const History& history) {
      return graph::create_branch(draft, "late", history.gone);
    });
    check_refused([](Repository&, Draft& draft, const History& history) {
      return graph::create_tag(draft, "late", history.gone, "why", {});
    });
    check_refused([](Repository&, Draft& draft,
                     const History& history) { return draft.move(kMain, history.gone); },
                  OnConflict::reparent);
  }

  TEST_CASE("so are a turn behind it, a merge of it, a copy of it, and a note about it") {
    check_refused([](Repository&, Draft& draft, const History& history) -> Result<void> {
      const compile::Turn turn{.type = store::Type::user, .text = "behind it"};
      const Oid made = TRY(draft.append_to(history.gone, turn));
      return draft.move(store::branch_ref("late"), made);
    });
    check_refused([](Repository& repository, Draft& draft, const History& history) -> Result<void> {
      TRY(graph::merge(draft, repository.reader(), repository.folder(), kMain, history.gone,
                       {.no_fast_forward = true}));
      return {};
    });
    check_refused([](Repository& repository, Draft& draft, const History& history) -> Result<void> {
      TRY(graph::cherry_pick(draft, repository.reader(), kMain, {history.gone}));
      return {};
    });
    check_refused([](Repository&, Draft& draft, const History& history) -> Result<void> {
      compile::Turn note{.type = store::Type::note, .text = "about it"};
      note.about = {history.gone};
      TRY(draft.append("refs/notes/scores", note));
      return {};
    });
  }

  TEST_CASE("and so is what an importer writes behind it before any ref is moved") {
    check_refused([](Repository& repository, Draft&, const History& history) -> Result<void> {
      const auto bulk = repository.draft();
      TRY(bulk->append_to(history.gone, {.type = store::Type::user, .text = "behind it"}));
      TRY(bulk->write("import"));
      return {};
    });
  }
}
