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

TEST_SUITE("api/workspace") {
  TEST_CASE("two that are the first in a folder at the same moment write to one branch") {
    const auto inner = std::make_shared<spoor::store::MemoryStore>();
    const auto opened = [&](std::function<void()> meanwhile) {
      auto store = std::make_unique<SharedStore>(inner, std::move(meanwhile));
      return std::make_unique<Workspace>(Repository::over(std::move(store), {}).value(), "memory",
                                         "/home/ada/project");
    };
    const auto other = opened({});
    const auto own = opened([&] {
      const std::string branch = other->branch_for_writing().value();
      other->repository().branch(branch).user("the first").value();
    });
    CHECK(own->branch_for_writing().value() == "project");
    CHECK(own->head().value().branch == "project");
  }
}

}  // namespace
