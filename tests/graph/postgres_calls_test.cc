// How often a repository over a server waits for it.
#include <doctest/doctest.h>

#include "graph/repository.h"
#include "store/postgres/postgres_store.h"
#include "tests/store/postgres_server.h"

using namespace spoor;

TEST_SUITE("graph/postgres") {
  TEST_CASE("a long history is compiled in few round trips") {
    auto* server = store::PostgresServer::get();
    if (server == nullptr) return;
    const std::string address = server->new_address();
    constexpr int kTurns = 10'000;
    {
      const auto repository =
          graph::Repository::over(store::PostgresStore::create(address, {}).value(), {}).value();
      auto branch = repository->branch("main");
      for (int i = 0; i < kTurns; i += 1'000) {
        std::vector<compile::Turn> turns;
        for (int j = 0; j < 1'000; ++j) {
          compile::Turn turn{.type = j % 2 == 0 ? compile::Type::user : compile::Type::assistant,
                             .text = "turn " + std::to_string(i + j)};
          if (j % 2 == 1) {
            turn.fields.tool_calls = {
                {.id = std::to_string(i + j), .name = "ls", .arguments = "{}"}};
          }
          turns.push_back(std::move(turn));
        }
        REQUIRE(branch.commit(std::move(turns)));
      }
    }
    auto opened = store::PostgresStore::open(address, {}).value();
    const store::PostgresStore& store = *opened;
    CHECK(store.round_trips() == 1);
    const auto repository = graph::Repository::over(std::move(opened), {}).value();
    const auto tip = repository->branch("main").tip().value();
    CHECK(repository->compile(tip, {}).value().messages.size() == kTurns);
    CHECK(store.round_trips() == 3);
  }
}
