#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "store/ancestry.h"
#include "store/memory_store.h"

using namespace spoor::store;

namespace {

// A random graph of commits: mostly lines, some forks, some merges.
struct Graph {
  MemoryStore store;
  std::vector<NamedCommit> commits;
  Reader reader{store};

  explicit Graph(unsigned seed, std::size_t count) {
    std::mt19937 random(seed);
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

}  // namespace

TEST_SUITE("store/walk") {
  TEST_CASE("a history is walked once, children before parents, from any tips") {
    for (unsigned seed = 1; seed <= 40; ++seed) {
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

  TEST_CASE("ancestors by depth and by reachability agree with a search") {
    const Graph graph(7, 80);
    for (const NamedCommit& of : graph.commits) {
      const auto below = graph.reachable({of.oid});
      Oid chain = of.oid;
      for (std::uint64_t depth = of.commit->depth;; --depth) {
        CHECK(ancestor_at(graph.reader, of.oid, depth).value() == chain);
        if (depth == 0) break;
        chain = graph.reader.commit(chain).value()->parents[0];
      }
      for (const NamedCommit& other : graph.commits) {
        const bool expected = std::find(below.begin(), below.end(), other.oid) != below.end();
        CHECK(is_ancestor(graph.reader, other.oid, of.oid).value() == expected);
      }
    }
  }
}
