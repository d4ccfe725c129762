#include <doctest/doctest.h>

#include <fmt/format.h>

#include "compile/repository.h"

using namespace spoor;
using store::Mode;
using store::Oid;

namespace {

struct Histories {
  std::unique_ptr<compile::Repository> repository = compile::Repository::in_memory();

  compile::Branch branch(const std::string& name) { return repository->branch(name); }
  Oid tip(const std::string& name) { return branch(name).tip().value().value(); }

  void fork(const std::string& name, const std::string& from) {
    repository->create_branch(name, tip(from)).value();
  }

  void merge(const std::string& into, const std::string& from, Mode mode = Mode::append) {
    repository
        ->transact("merge", compile::OnConflict::fail,
                   [&](compile::Draft& draft) -> store::Result<void> {
                     TRY(draft.merge(store::branch_ref(into), tip(from), mode, {}, nullptr, {}));
                     return {};
                   })
        .value();
  }

  void compress(const std::string& name, const std::string& summary) {
    repository
        ->transact("compress", compile::OnConflict::fail,
                   [&](compile::Draft& draft) -> store::Result<void> {
                     const compile::Turn turn{.type = store::Type::summary, .text = summary};
                     TRY(draft.compress(store::branch_ref(name), {}, turn, {}));
                     return {};
                   })
        .value();
  }

  std::vector<std::string> texts(const std::string& name) {
    repository->drop_caches();
    std::vector<std::string> all;
    for (const auto& message : branch(name).compile().value().messages) {
      all.push_back(message.text());
    }
    return all;
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_SUITE("compile/merge_fold") {
  TEST_CASE("a history of many merges is folded once, not once for each way through it") {
    Histories histories;
    histories.branch("main").user("base").value();
    constexpr int kMerges = 64;  // Two ways through each: 2^64 of them.
    for (int i = 0; i < kMerges; ++i) {
      const std::string side = fmt::format("side{}", i);
      histories.fork(side, "main");
      histories.branch(side).user(fmt::format("s{}", i)).value();
      histories.branch("main").user(fmt::format("m{}", i)).value();
      histories.merge("main", side);
    }
    CHECK(histories.texts("main").size() == 1 + 2 * kMerges);
  }

  TEST_CASE("two branches that merge each other again and again are folded once") {
    Histories histories;
    histories.branch("a").user("base").value();
    histories.fork("b", "a");
    for (int i = 0; i < 40; ++i) {
      histories.branch("a").user(fmt::format("a{}", i)).value();
      histories.branch("b").user(fmt::format("b{}", i)).value();
      histories.merge(i % 2 == 0 ? "a" : "b", i % 2 == 0 ? "b" : "a");
    }
    CHECK(histories.texts("a").size() >= 80);
  }

  TEST_CASE("a summary of a summary comes in where the first message stood") {
    Histories histories;
    histories.branch("main").user("u1").value();
    histories.branch("main").user("u2").value();
    histories.fork("side", "main");
    histories.compress("side", "S1");
    histories.branch("side").user("u3").value();
    histories.compress("side", "S2");
    histories.branch("main").user("m1").value();
    histories.merge("main", "side");
    CHECK(histories.texts("main") == Texts{"S2", "m1"});
  }

  TEST_CASE("a compress that a merge ignored stays ignored at the next one") {
    Histories histories;
    histories.branch("main").user("u1").value();
    histories.fork("side", "main");
    histories.compress("side", "S");
    histories.branch("main").user("m1").value();
    histories.merge("main", "side", Mode::ours);
    histories.branch("side").user("u5").value();
    histories.merge("main", "side");
    CHECK(histories.texts("main") == Texts{"u1", "m1", "u5"});
  }
}
