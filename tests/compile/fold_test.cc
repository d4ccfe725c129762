#include <doctest/doctest.h>

#include <array>
#include <barrier>
#include <set>
#include <thread>

#include "graph/repository.h"

using namespace spoor;
using store::Oid;
using Code = spoor::Error::Code;

namespace {

// An edit of what is no entry: no draft writes one, but a store may hold it.
Oid put_bad_edit(graph::Repository& repository, const Oid& parent) {
  const auto below = repository.reader().commit(parent).value();
  store::Commit commit{.op = store::Op::edit,
                       .parents = {parent},
                       .depth = below->depth + 1,
                       .gen = below->gen + 1,
                       .content = below->content,
                       .target = {Oid{}}};
  if (commit.depth >= 2) {
    commit.skip = parent;
    while (repository.reader().commit(*commit.skip).value()->depth >
           store::skip_height(commit.depth)) {
      commit.skip = repository.reader().commit(*commit.skip).value()->parents[0];
    }
  }
  const auto object = store::new_object(store::Kind::commit, store::serialize(commit).value());
  repository.store().put(std::array{object}).value();
  return object.oid;
}

}  // namespace

TEST_SUITE("compile/fold") {
  TEST_CASE("a fold that fails keeps the state it began with") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    const Oid root = main.user("one").value();
    main.user("two").value();
    const Oid tip = main.user("three").value();
    const Oid bad = put_bad_edit(*repository, tip);
    const auto before = repository->compile(tip).value();
    CHECK(repository->compile(bad).error().code == Code::corrupt);
    // Folding it all again would need the root.
    repository->store().erase(std::array{root}).value();
    repository->reader().drop_caches();
    CHECK(repository->folder().at(tip).has_value());
    CHECK(repository->compile(bad).error().code == Code::corrupt);
    CHECK(repository->compile(tip).value().hash == before.hash);
  }

  TEST_CASE("a directive that fails leaves the state as it was") {
    compile::State state;
    compile::Entry entry;
    entry.commit.bytes[0] = 1;
    state.append(entry);
    const std::vector<Oid> targets = {entry.commit, Oid{}};
    compile::Entry summary;
    summary.commit.bytes[0] = 2;
    CHECK_FALSE(state.annotate(targets, Oid{}, store::Priority::pinned).has_value());
    CHECK_FALSE(state.compress(targets, summary).has_value());
    CHECK(state.entries().size() == 1);
    CHECK(state.entries()[0].priority == store::Priority::normal);
    CHECK(state.entries()[0].directives == nullptr);
  }

  TEST_CASE("states that were handed out do not change when later ones are folded") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    const Oid first = main.user("one").value();
    std::vector<std::pair<std::shared_ptr<const compile::State>, std::size_t>> held;
    for (int i = 0; i < 20; ++i) {
      const Oid edit = main.edit(first, "text " + std::to_string(i)).value();
      const auto state = repository->folder().at(edit).value();
      held.emplace_back(state, state->find(first)->directives->edits.size());
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
      CHECK(held[i].second == i + 1);
      CHECK(held[i].first->find(first)->directives->edits.size() == i + 1);
    }
  }

  TEST_CASE("a history of many strides is folded from its root, and from what is known of it") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    const auto grow = [&main](std::size_t count) {
      std::vector<compile::Turn> turns;
      for (std::size_t i = 0; i < count; ++i) {
        turns.push_back({.type = store::Type::user, .text = std::to_string(i)});
      }
      return main.commit(turns).value();
    };
    const std::vector<Oid> first = grow(9'000);
    const Oid edit = main.edit(first[10], "another").value();
    const std::vector<Oid> second = grow(20'000);
    REQUIRE(main.annotate(first[20], store::Priority::pinned));
    REQUIRE(main.annotate(second[19'990], store::Priority::pinned));
    const Oid tip = grow(9'000).back();
    const auto check_tip = [&] {
      const auto state = repository->folder().at(tip).value();
      CHECK(state->entries().size() == 38'000);
      CHECK(state->find(first[10])->directives->edits == std::vector{edit});
      CHECK(state->find(first[20])->priority == store::Priority::pinned);
      CHECK(state->find(second[19'990])->priority == store::Priority::pinned);
      std::uint32_t count = 0;
      for (std::uint32_t i = state->first(); i != compile::State::kEnd;) {
        CHECK(i == count++);
        i = state->entries()[i].next;
      }
      CHECK(count == 38'000);
    };
    repository->drop_caches();
    check_tip();
    for (const Oid& known : {first[0], first[8'999], edit, second[5'000], second[19'999]}) {
      repository->drop_caches();
      REQUIRE(repository->folder().at(known));
      check_tip();
    }
  }

  TEST_CASE("a merge far down a long history is folded, and found from what is known") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    main.user("root").value();
    REQUIRE(repository->create_branch("side", *repository->store().ref("refs/heads/main").value()));
    auto side = repository->branch("side");
    const Oid theirs = side.user("beside").value();
    REQUIRE(main.commit(std::vector<compile::Turn>(17'000, {.text = "x"})));
    REQUIRE(repository->transact(
        "merge", graph::OnConflict::fail, [&](graph::Draft& draft) -> spoor::Result<void> {
          TRY(draft.merge("refs/heads/main", theirs, store::Mode::append, {}, nullptr, {}));
          return {};
        }));
    const Oid tip = main.commit(std::vector<compile::Turn>(17'000, {.text = "y"})).value().back();
    for (const bool is_known : {false, true}) {
      repository->drop_caches();
      if (is_known) REQUIRE(repository->folder().at(theirs));
      const auto state = repository->folder().at(tip).value();
      CHECK(state->entries().size() == 34'002);
      CHECK(state->find(theirs) != nullptr);
    }
  }

  TEST_CASE("a commit that says another depth than it has is refused") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    const Oid tip = main.commit(std::vector<compile::Turn>(17'000, {.text = "x"})).value().back();
    for (const std::uint64_t depth : {std::uint64_t{20}, std::uint64_t{1} << 50U}) {
      store::Commit forged = *repository->reader().commit(tip).value();
      forged.parents = {tip};
      forged.depth = depth;
      forged.gen = std::max(depth, forged.gen + 1);
      const auto object = store::new_object(store::Kind::commit, store::serialize(forged).value());
      repository->store().put(std::array{object}).value();
      CHECK(repository->folder().at(object.oid).error().code == Code::corrupt);
    }
  }

  TEST_CASE("threads that ask for one commit at once share one fold") {
    const auto repository = graph::Repository::in_memory();
    auto main = repository->branch("main");
    std::vector<compile::Turn> turns(3'000, compile::Turn{.type = store::Type::user, .text = "x"});
    const Oid tip = main.commit(turns).value().back();
    for (int round = 0; round < 10; ++round) {
      repository->drop_caches();
      constexpr std::size_t kThreads = 4;
      std::array<std::shared_ptr<const compile::State>, kThreads> states;
      std::barrier start(kThreads);
      {
        std::vector<std::jthread> threads;
        for (auto& state : states) {
          threads.emplace_back([&] {
            start.arrive_and_wait();
            state = repository->folder().at(tip).value();
          });
        }
      }
      CHECK(std::set(states.begin(), states.end()).size() == 1);
    }
  }
}
