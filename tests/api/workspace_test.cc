#include "api/workspace.h"

#include <functional>
#include <memory>
#include <utility>

#include <doctest/doctest.h>

#include "store/memory_store.h"
#include "tests/support/passing_store.h"

namespace {

using spoor::Result;
using spoor::api::Workspace;
using spoor::graph::Repository;

// A store that several repositories share. `meanwhile` is called once, after a fact was not found.
class SharedStore final : public spoor::testing::PassingStore {
 public:
  explicit SharedStore(std::shared_ptr<spoor::store::Store> inner,
                       std::function<void()> meanwhile = {})
      : inner_(std::move(inner)), meanwhile_(std::move(meanwhile)) {}

  Result<std::optional<std::string>> local(std::string_view key) const override {
    auto found = PassingStore::local(key);
    if (meanwhile_ && found && !found.value()) std::exchange(meanwhile_, {})();
    return found;
  }

 private:
  spoor::store::Store& on() const override { return *inner_; }

  const std::shared_ptr<spoor::store::Store> inner_;
  mutable std::function<void()> meanwhile_;
};

// A store in memory, which several folders use.
struct Shared {
  std::unique_ptr<Workspace> open(const std::string& folder, std::function<void()> meanwhile = {}) {
    auto store = std::make_unique<SharedStore>(inner, std::move(meanwhile));
    return std::make_unique<Workspace>(Repository::over(std::move(store), {}).value(), "memory",
                                       folder);
  }
  const std::shared_ptr<spoor::store::Store> inner = std::make_shared<spoor::store::MemoryStore>();
};

TEST_SUITE("api/workspace") {
  TEST_CASE("two that are the first in a folder at the same moment write to one branch") {
    Shared shared;
    const auto other = shared.open("/home/ada/project");
    const auto own = shared.open("/home/ada/project", [&] {
      const std::string branch = other->branch_for_writing().value();
      other->repository().branch(branch).user("the first").value();
    });
    CHECK(own->branch_for_writing().value() == "project");
    CHECK(own->head().value().branch == "project");
  }

  TEST_CASE("a reader finds the branch that another process begins meanwhile") {
    Shared shared;
    const auto other = shared.open("/home/ada/project");
    const auto own = shared.open("/home/ada/project", [&] {
      const std::string branch = other->branch_for_writing().value();
      other->repository().branch(branch).user("the first").value();
    });
    CHECK(own->head().value().branch == "project");
  }

  TEST_CASE("folders of one name have a branch each, also before the first turn") {
    Shared shared;
    const auto first = shared.open("/home/ada/project");
    const auto second = shared.open("/home/ben/project");
    const auto third =
        shared.open("/home/eve/project", [&] { second->branch_for_writing().value(); });
    CHECK(first->branch_for_writing().value() == "project");
    CHECK(third->branch_for_writing().value() == "project-3");
    CHECK(second->branch_for_writing().value() == "project-2");
    CHECK(first->branch_for_writing().value() == "project");
    CHECK(shared.open("/home/ada/project")->head().value().branch == "project");
  }
}

}  // namespace
