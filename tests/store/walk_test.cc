#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "store/ancestry.h"
#include "store/memory_store.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;

namespace {

// A random graph of commits: mostly lines, some forks, some merges.
struct Graph {
  MemoryStore store;
  std::vector<NamedCommit> commits;
  Reader reader{store};

  // `forge` may change each commit before it gets its name: its number, itself.
  using Forge = std::function<void(std::size_t, Commit&)>;
  explicit Graph(unsigned seed, std::size_t count, const Forge& forge = nullptr) {
    std::mt19937 random(spoor::testing::seeded(seed));
    const Oid content = put(encode_content("", Salter()).back());
    for (std::size_t i = 0; i < count; ++i) {
      Commit commit{.op = Op::append, .type = Type::user};
      commit.content = Content{content, "text/plain"};
      commit.time = Timestamp{static_cast<std::int64_t>(i)};
      const auto any = [&] { return commits[random() % commits.size()]; };
      if (i > 0) add_parent(commit, random() % 5 == 0 ? any() : commits.back());
      if (i > 2 && random() % 7 == 0) {
        const NamedCommit other = any();
        if (other.oid != commit.parents[0]) {
          commit.op = Op::merge;
          commit.type.reset();
          commit.content.reset();
          commit.mode = Mode::append;
          add_parent(commit, other);
        }
      }
      if (!commit.parents.empty()) {
        commit.skip = skip_of_child(reader, commit.parents[0], commit.depth).value();
      }
      if (forge) forge(i, commit);
      const Oid oid = put(new_object(Kind::commit, serialize(commit).value()));
      commits.push_back({oid, std::make_shared<const Commit>(commit)});
    }
  }

  void add_parent(Commit& commit, const NamedCommit& parent) {
    if (commit.parents.empty()) commit.depth = parent.commit->depth + 1;
    commit.gen = std::max(commit.gen, parent.commit->gen + 1);
    commit.parents.push_back(parent.oid);
  }

  Oid put(const NewObject& object) {
    store.put(std::array{object}).value();
    return object.oid;
  }

  std::vector<Oid> reachable(const std::vector<Oid>& tips) const {
    std::vector<Oid> open = tips;
    std::vector<Oid> seen;
    while (!open.empty()) {
      const Oid next = open.back();
      open.pop_back();
      if (std::find(seen.begin(), seen.end(), next) != seen.end()) continue;
      seen.push_back(next);
      for (const Oid& parent : reader.commit(next).value()->parents) open.push_back(parent);
    }
    return seen;
  }
};

// Chain order as the design says it, from the root on: the first parent's chain, what
// the second parent's adds, the commit.
std::vector<Oid> chain_order(const Graph& graph, const Oid& tip) {
  std::vector<Oid> order;
  const auto commit = graph.reader.commit(tip).value();
  for (const Oid& parent : commit->parents) {
    for (const Oid& oid : chain_order(graph, parent)) {
      if (std::find(order.begin(), order.end(), oid) == order.end()) order.push_back(oid);
    }
  }
  order.push_back(tip);
  return order;
}

// True when all walks from `tip` answer without an error; no error but one is allowed.
bool accepts(const Graph& graph, const Oid& tip) {
  const auto check = [](const auto& answer) {
    if (answer) return true;
    CHECK(answer.error().code == Error::Code::corrupt);
    CHECK(answer.error().hint.find("spoor store fsck") != std::string::npos);
    return false;
  };
  const auto visit = [](const NamedCommit&) { return true; };
  check(is_ancestor(graph.reader, graph.commits[0].oid, tip));
  const bool chain = check(walk_chain(graph.reader, tip, visit));
  const bool history = check(walk_history(graph.reader, {tip, graph.commits[20].oid}, visit));
  CHECK((chain || !history));  // A chain is all of the history.
  return history;
}

}  // namespace

TEST_SUITE("store/walk") {
  TEST_CASE("a history is walked once, children before parents, from any tips") {
    for (unsigned seed = 1; seed <= spoor::testing::rounds(40U); ++seed) {
      CAPTURE(seed);
      const Graph graph(seed, 60);
      const std::vector<Oid> tips = {graph.commits[59].oid, graph.commits[30].oid,
                                     graph.commits[45].oid, graph.commits[59].oid};
      std::vector<Oid> order;
      walk_history(graph.reader, tips, [&](const NamedCommit& named) {
        for (const Oid& parent : named.commit->parents) {
          CHECK(std::find(order.begin(), order.end(), parent) == order.end());
        }
        order.push_back(named.oid);
        return true;
      }).value();
      auto expected = graph.reachable(tips);
      std::sort(expected.begin(), expected.end());
      std::sort(order.begin(), order.end());
      CHECK(order == expected);
    }
  }

  TEST_CASE("a walk by time visits a history once, the newest first") {
    for (unsigned seed = 1; seed <= spoor::testing::rounds(40U); ++seed) {
      CAPTURE(seed);
      std::mt19937 random(spoor::testing::seeded(seed));
      const bool is_shuffled = seed % 2 == 0;  // Some commits are older than their parents.
      const Graph graph(seed, 300, [&](std::size_t i, Commit& commit) {
        if (is_shuffled && random() % 3 == 0)
          commit.time = Timestamp{static_cast<int>(random() % 300)};
        if (is_shuffled && i % 50 == 7) commit.time.reset();
      });
      const std::vector<Oid> tips = {graph.commits[150].oid, graph.commits[299].oid,
                                     graph.commits[225].oid, graph.commits[150].oid};
      std::vector<Oid> order;
      const auto visit = [&](const NamedCommit& named) {
        const bool is_later =
            order.empty() || is_shuffled ||
            *graph.reader.commit(order.back()).value()->time > *named.commit->time;
        CHECK(is_later);
        order.push_back(named.oid);
        return order.size() != 40 || seed % 5 != 0;
      };
      REQUIRE(walk_by_time(graph.reader, tips, visit));
      auto expected = graph.reachable(tips);
      if (seed % 5 == 0) {  // The visitor stopped it.
        CHECK(order.size() == std::min<std::size_t>(40, expected.size()));
        continue;
      }
      std::sort(expected.begin(), expected.end());
      std::sort(order.begin(), order.end());
      CHECK(order == expected);
    }
  }

  TEST_CASE("ancestors by depth, on a line and by reachability agree with a search") {
    const Graph graph(7, 80);
    for (const NamedCommit& of : graph.commits) {
      const auto below = graph.reachable({of.oid});
      std::vector<Oid> line;
      Oid chain = of.oid;
      for (std::uint64_t depth = of.commit->depth;; --depth) {
        CHECK(ancestor_at(graph.reader, of.oid, depth).value() == chain);
        line.push_back(chain);
        if (depth == 0) break;
        chain = graph.reader.commit(chain).value()->parents[0];
      }
      for (const NamedCommit& other : graph.commits) {
        const bool expected = std::find(below.begin(), below.end(), other.oid) != below.end();
        CHECK(is_ancestor(graph.reader, other.oid, of.oid).value() == expected);
        const bool on_line = std::find(line.begin(), line.end(), other.oid) != line.end();
        CHECK(is_on_line(graph.reader, other.oid, of.oid).value() == on_line);
      }
    }
  }

  TEST_CASE("a chain is walked in chain order, newest first") {
    for (unsigned seed = 1; seed <= spoor::testing::rounds(20U); ++seed) {
      CAPTURE(seed);
      const Graph graph(seed, 24);
      const Oid tip = graph.commits.back().oid;
      std::vector<Oid> order;
      walk_chain(graph.reader, tip, [&](const NamedCommit& named) {
        order.push_back(named.oid);
        return true;
      }).value();
      std::reverse(order.begin(), order.end());
      CHECK(order == chain_order(graph, tip));
    }
  }

  TEST_CASE("sides nested to any depth are walked, each commit once") {
    MemoryStore store;
    const Reader reader(store);
    constexpr std::size_t kDepth = 20'000;
    const NewObject text = encode_content("", Salter()).back();
    std::vector<NewObject> objects = {text};
    Oid side;  // Each merge has a line of its own first, all that came before second.
    for (std::size_t i = 0; i <= kDepth; ++i) {
      Commit line{.op = Op::append, .type = Type::user, .content = Content{text.oid}};
      line.time = Timestamp{static_cast<std::int64_t>(i)};
      objects.push_back(new_object(Kind::commit, serialize(line).value()));
      const Oid own = objects.back().oid;
      if (i == 0) {
        side = own;
        continue;
      }
      const Commit merge{
          .op = Op::merge, .mode = Mode::append, .parents = {own, side}, .depth = 1, .gen = i};
      objects.push_back(new_object(Kind::commit, serialize(merge).value()));
      side = objects.back().oid;
    }
    store.put(objects).value();
    std::size_t count = 0;
    walk_chain(reader, side, [&](const NamedCommit&) { return ++count, true; }).value();
    CHECK(count == 2 * kDepth + 1);
    count = 0;
    walk_history(reader, {side}, [&](const NamedCommit&) { return ++count, true; }).value();
    CHECK(count == 2 * kDepth + 1);
  }

  TEST_CASE("a commit of no later generation than its parent is corrupt, wherever it stands") {
    std::size_t lies = 0;
    for (unsigned seed = 1; seed <= spoor::testing::rounds(300U); ++seed) {
      CAPTURE(seed);
      const std::size_t forged = 1 + seed % 39;
      const Graph graph(seed, 40, [&](std::size_t i, Commit& commit) {
        if (i == forged) commit.gen = commit.depth;  // The least that the format allows.
      });
      const NamedCommit& commit = graph.commits[forged];
      const Oid tip = graph.commits.back().oid;
      bool is_lie = false;
      for (const Oid& parent : commit.commit->parents) {
        is_lie = is_lie || graph.reader.commit(parent).value()->gen >= commit.commit->gen;
      }
      const auto below = graph.reachable({tip, graph.commits[20].oid});
      is_lie = is_lie && std::find(below.begin(), below.end(), commit.oid) != below.end();
      if (is_lie) ++lies;
      CHECK(accepts(graph, tip) == !is_lie);
    }
    CHECK(lies > 10);
  }

  TEST_CASE("a side that claims to be newer than the merge that brings it in is corrupt") {
    MemoryStore store;
    const Reader reader(store);
    const NewObject text = encode_content("", Salter()).back();
    const auto put = [&](const Commit& commit) {
      const NewObject object = new_object(Kind::commit, serialize(commit).value());
      store.put(std::array{object}).value();
      return object.oid;
    };
    store.put(std::array{text}).value();
    const auto turn = [&](std::uint64_t gen, std::vector<Oid> parents) {
      Commit commit{.op = Op::append, .type = Type::user, .content = Content{text.oid}};
      commit.depth = parents.size();
      commit.parents = std::move(parents);
      commit.gen = gen;
      return put(commit);
    };
    const Oid root = turn(0, {});
    const Oid ours = turn(1, {root});
    const Oid theirs = turn(9, {root});
    const Oid merge = put({.op = Op::merge,
                           .mode = Mode::append,
                           .parents = {ours, theirs},
                           .depth = 2,
                           .gen = 2,
                           .skip = root});
    const auto visit = [](const NamedCommit&) { return true; };
    CHECK(walk_history(reader, {merge}, visit).error().code == Error::Code::corrupt);
    CHECK(walk_history(reader, {merge, root}, visit).error().code == Error::Code::corrupt);
    CHECK(walk_chain(reader, merge, visit).error().code == Error::Code::corrupt);
  }
}
