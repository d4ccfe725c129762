// Work that reads ends when it is cancelled, wherever it is, and is whole when it is asked again.
#include <doctest/doctest.h>

#include <string>

#include "graph/blame.h"
#include "graph/repository.h"
#include "graph/rewrite.h"
#include "graph/search.h"

using namespace spoor;
using graph::Repository;
using store::Oid;

namespace {

constexpr auto kInterrupted = spoor::Error::Code::interrupted;

// A repository whose reads are cancelled from the one on that `left` counts down to; never below 0.
struct Countdown {
  int left = -1;
  std::unique_ptr<Repository> repository = Repository::in_memory(
      {.is_cancelled = [this] { return left >= 0 && left-- == 0 && ++left == 0; }});
  graph::Branch main = repository->branch("main");

  Countdown() {
    for (int i = 0; i < 40; ++i) {
      main.user("question " + std::to_string(i)).value();
      main.assistant("", {{"c" + std::to_string(i), "run", R"({"n":1})"}}).value();
      main.tool("done", "c" + std::to_string(i), "run").value();
    }
    repository->drop_caches();
  }
  Oid tip() { return main.tip().value().value(); }
};

}  // namespace

TEST_SUITE("graph/cancel") {
  TEST_CASE("a fold ends at any read, and the next one goes on to the same prompt") {
    Countdown c;
    const Oid tip = c.tip();
    const Oid hash = c.repository->compile(tip).value().hash;
    int stopped = 0;
    for (int reads = 0; reads < 400; reads += 7) {
      c.repository->drop_caches();
      c.left = reads;
      const auto prompt = c.repository->compile(tip);
      c.left = -1;
      if (!prompt) {
        CHECK(prompt.error().code == kInterrupted);
        ++stopped;
      }
      CHECK(c.repository->compile(tip).value().hash == hash);
    }
    CHECK(stopped > 10);
  }

  TEST_CASE("searches, reasons for a phrase and rewriting end, and nothing moves") {
    Countdown c;
    const Oid tip = c.tip();
    const compile::Prompt prompt = c.repository->compile(tip).value();
    c.left = 10;
    const auto found = graph::search(c.repository->reader(), {tip}, "done");
    REQUIRE_FALSE(found);
    CHECK(found.error().code == kInterrupted);
    c.left = 10;
    const auto why = graph::why(*c.repository, prompt, "question");
    REQUIRE_FALSE(why);
    CHECK(why.error().code == kInterrupted);
    c.left = 60;
    const auto amended = c.repository->transact(
        "amend", graph::OnConflict::fail, [&](graph::Draft& draft) -> spoor::Result<void> {
          const Oid root = TRY(c.repository->resolve("main~119"));
          TRY(graph::amend(draft, c.repository->reader(), c.main.ref(), root, {.text = "anew"}));
          return {};
        });
    REQUIRE_FALSE(amended);
    CHECK(amended.error().code == kInterrupted);
    c.left = -1;
    CHECK(c.tip() == tip);
    CHECK(c.repository->compile(tip).value().hash == prompt.hash);
  }
}
