#include <algorithm>
#include <array>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "store/ancestry.h"
#include "store/blob.h"
#include "store/memory_store.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;

namespace {

// Commits that merge at random.
struct Graph {
  MemoryStore store;
  Reader reader{store};
  std::vector<Oid> all;
  std::vector<std::set<std::size_t>> ancestors;  // Of each, itself among them.

  explicit Graph(unsigned seed) {
    std::mt19937 random(spoor::testing::seeded(seed));
    const NewObject text = encode_content("", Salter()).back();
    store.put(std::array{text}).value();
    for (std::size_t i = 0; i < 24; ++i) add(random, text.oid, i);
  }

  void add(std::mt19937& random, const Oid& text, std::size_t number) {
    const auto pick = [&] { return random() % number; };
    Commit commit{.op = Op::append, .type = Type::user};
    commit.author = std::to_string(number);
    std::set<std::size_t> mine = {number};
    if (number > 0 && random() % 8 != 0) {
      std::vector<std::size_t> parents = {pick()};
      const std::size_t other = pick();
      if (random() % 2 == 0 && other != parents[0]) parents.push_back(other);
      for (const std::size_t parent : parents) {
        commit.parents.push_back(all[parent]);
        commit.gen = std::max(commit.gen, reader.commit(all[parent]).value()->gen + 1);
        mine.insert(ancestors[parent].begin(), ancestors[parent].end());
      }
      commit.depth = reader.commit(commit.parents[0]).value()->depth + 1;
      commit.skip = skip_of_child(reader, commit.parents[0], commit.depth).value();
      if (parents.size() == 2) {
        commit.op = Op::merge;
        commit.type.reset();
        commit.mode = Mode::append;
      }
    }
    if (commit.op == Op::append) commit.content = Content{text, "text/plain"};
    const NewObject object = new_object(Kind::commit, serialize(commit).value());
    store.put(std::array{object}).value();
    all.push_back(object.oid);
    ancestors.push_back(std::move(mine));
  }

  // Common ancestors that no other common ancestor descends from.
  std::vector<Oid> bases_by_force(std::size_t a, std::size_t b) const {
    std::vector<std::size_t> common;
    std::set_intersection(ancestors[a].begin(), ancestors[a].end(), ancestors[b].begin(),
                          ancestors[b].end(), std::back_inserter(common));
    std::vector<Oid> bases;
    for (const std::size_t one : common) {
      const bool is_below = std::any_of(common.begin(), common.end(), [&](std::size_t other) {
        return other != one && ancestors[other].contains(one);
      });
      if (!is_below) bases.push_back(all[one]);
    }
    std::sort(bases.begin(), bases.end());
    return bases;
  }
};

}  // namespace

TEST_SUITE("store/merge_bases") {
  TEST_CASE("the merge bases of any two commits are those that brute force finds") {
    std::size_t several = 0;
    for (unsigned seed = 0; seed < spoor::testing::rounds(12U); ++seed) {
      const Graph graph(seed);
      for (std::size_t a = 0; a < graph.all.size(); ++a) {
        for (std::size_t b = 0; b < graph.all.size(); ++b) {
          const auto found = merge_bases(graph.reader, graph.all[a], graph.all[b]).value();
          CAPTURE(seed);
          CAPTURE(a);
          CAPTURE(b);
          CHECK(found == graph.bases_by_force(a, b));
          if (found.size() > 1) ++several;
        }
      }
    }
    CHECK(several > 0);  // Criss-cross merges were among them.
  }
}
