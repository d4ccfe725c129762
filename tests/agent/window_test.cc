#include <doctest/doctest.h>

#include "tests/agent/stage.h"

namespace spoor::agent {
namespace {

using testing::must;
using testing::Stage;
using testing::step;

std::size_t objects_in(const graph::Repository& repository) {
  std::size_t count = 0;
  const auto scanned = repository.store().scan([&](const store::StoredObject&) {
    ++count;
    return true;
  });
  if (!scanned) throw std::runtime_error(scanned.error().message);
  return count;
}

}  // namespace

TEST_SUITE("agent/window") {
  TEST_CASE("what calls add to a store does not depend on the length of the history") {
    constexpr std::int64_t kCalls = 100;
    std::vector<std::size_t> added;
    for (const int turns : {100, 3'000}) {
      Stage stage;
      std::vector<compile::Turn> history;
      for (int i = 0; i < turns; ++i) {
        history.push_back({.type = i % 2 == 0 ? compile::Type::user : compile::Type::assistant,
                           .text = "turn number " + std::to_string(i)});
      }
      must(stage.session.branch().commit(std::move(history)));
      Session narrow(*stage.repository, "main",
                     {.principal = {}, .window_tokens = 1'000, .when_full = WhenFull::drop});
      stage.add("look", [](std::string_view) { return gave("there is nothing here to be seen"); });
      stage.options.calling = Calling::json;
      stage.options.rationale = false;
      stage.options.max_steps = kCalls;
      testing::ListModel model(std::vector<llm::Reply>(kCalls, step(R"({"action":"look"})")));
      const std::size_t before = objects_in(*stage.repository);
      must(react("g", {&model, "m", {}, {}}, narrow, stage.options));
      added.push_back(objects_in(*stage.repository) - before);
    }
    // An answer, its bundle, an observation, a decision on what fell out, each with its text.
    CHECK(added[0] < 9 * kCalls);
    CHECK(added[1] < 9 * kCalls);
  }
}

}  // namespace spoor::agent
