// Writers of one branch over a server whose connections are cut.
#include <doctest/doctest.h>

#include <map>

#include <fmt/format.h>

#include "graph/repository.h"
#include "store/postgres/postgres_store.h"
#include "tests/store/cutting_proxy.h"
#include "tests/store/postgres_server.h"

using namespace spoor;

TEST_SUITE("graph/postgres") {
  TEST_CASE("writers of one branch write each turn once, whatever round trip is cut") {
    auto* server = store::PostgresServer::get();
    if (server == nullptr) return;
    using Cut = store::CuttingProxy::Cut;
    for (const Cut how : {Cut::before, Cut::after, Cut::late}) {
      for (int cut = 1;; ++cut) {
        const std::string direct = server->new_address();
        REQUIRE(store::PostgresStore::create(direct, {}));
        store::CuttingProxy proxy(direct);
        proxy.cut_at(cut, how);
        const auto open = [](const std::string& address) {
          return graph::Repository::over(store::PostgresStore::open(address, {}).value(), {})
              .value();
        };
        const auto other = open(direct);
        const auto repository = open(proxy.address());
        auto branch = repository->branch("main");
        auto others = other->branch("main");
        for (const std::string number : {"one", "two", "three"}) {
          // The other one moved the branch meanwhile, so this one loses its first race.
          REQUIRE(others.commit({.type = compile::Type::user, .text = "other " + number}));
          REQUIRE(branch.commit({.type = compile::Type::user, .text = "own " + number}));
        }
        std::map<std::string, int> seen;
        const auto tip = others.tip().value();
        for (const auto& message : other->compile(tip, {}).value().messages) ++seen[message.text()];
        CHECK(seen.size() == 6);
        for (const auto& each : seen) CHECK_MESSAGE(each.second == 1, each.first, " at ", cut);
        if (proxy.trips() < cut) break;
      }
    }
  }
}
