// One Repository, many threads: run under TSan by './dev tsan'.
#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "graph/repository.h"

using namespace spoor;
using store::Oid;

TEST_SUITE("graph/threads") {
  TEST_CASE("commits, compiles, logs and settings in parallel lose nothing") {
    const auto repository = graph::Repository::in_memory();
    constexpr int kWriters = 3;
    constexpr int kTurns = 60;
    const Oid first = repository->branch("shared").user("first").value();

    std::mutex mutex;
    std::set<Oid> acknowledged = {first};
    std::atomic<int> writing = kWriters;
    std::atomic<std::size_t> failures = 0;
    {
      std::vector<std::jthread> threads;
      for (int writer = 0; writer < kWriters; ++writer) {
        threads.emplace_back([&, writer] {
          auto shared = repository->branch("shared");
          auto own = repository->branch("own" + std::to_string(writer));
          for (int i = 0; i < kTurns; ++i) {
            const std::string text = std::to_string(writer) + "." + std::to_string(i);
            const auto made = i % 10 == 9 ? shared.edit(first, text) : shared.user(text);
            if (!made || !own.user(text)) ++failures;
            if (made) {
              const std::lock_guard lock(mutex);
              acknowledged.insert(made.value());
            }
          }
          --writing;
        });
      }
      for (int reader = 0; reader < 2; ++reader) {
        threads.emplace_back([&] {
          const auto shared = repository->branch("shared");
          while (writing > 0) {
            const auto prompt = shared.compile({.budget = 40});
            std::size_t count = 0;
            const auto logged = shared.log([&](const store::NamedCommit&) { return ++count < 50; });
            if (!prompt || !logged || count == 0) ++failures;
          }
        });
      }
      threads.emplace_back([&] {
        while (writing > 0) {
          if (!repository->set_token_limit(1'000'000) || !repository->token_limit()) ++failures;
          repository->drop_caches();
          std::this_thread::yield();
        }
      });
    }

    CHECK(failures == 0);
    std::set<Oid> logged;
    repository->branch("shared")
        .log([&](const store::NamedCommit& named) { return logged.insert(named.oid).second; })
        .value();
    CHECK(logged == acknowledged);
    for (int writer = 0; writer < kWriters; ++writer) {
      const auto own = repository->branch("own" + std::to_string(writer)).compile().value();
      CHECK(own.messages.size() == kTurns);
    }
    // What the threads folded together is what one alone folds.
    const auto together = repository->branch("shared").compile().value();
    repository->drop_caches();
    CHECK(repository->branch("shared").compile().value().hash == together.hash);
  }
}
