#include "bench/clients.h"

#include <chrono>
#include <exception>
#include <thread>

#include <fmt/format.h>

#include "bench/workload.h"
#include "graph/repository.h"
#include "store/postgres/postgres_store.h"

namespace spoor::bench {

double rate_of(std::size_t clients, std::size_t each,
               const std::function<void(std::size_t client)>& work) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::exception_ptr> failures(clients);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(clients * each) / taken.count();
}

std::string turn_text(std::size_t client, std::size_t number) {
  std::string text = fmt::format("client {} says {}: ", client, number);
  while (text.size() < 600) text += "the quick brown fox jumps over the lazy dog. ";
  text.resize(600);
  return text;
}

double appended(const std::vector<std::string>& addresses, std::size_t clients, std::size_t each,
                bool in_turn) {
  static int rounds = 0;  // No two use the same branches.
  const int round = ++rounds;
  std::vector<std::unique_ptr<Repository>> repositories;
  for (std::size_t i = 0; i < clients; ++i) {
    const std::string& address = addresses[i % addresses.size()];
    repositories.push_back(
        must(Repository::over(must(store::PostgresStore::open(address, {})), {})));
  }
  return rate_of(clients, each, [&](std::size_t client) {
    auto branch = repositories[client]->branch(fmt::format("{}-{}", round, client));
    for (std::size_t i = 0; i < each; ++i) {
      const auto append = [&]() -> Result<void> {
        TRY(branch.commit({.type = compile::Type::user, .text = turn_text(client, i)}));
        return {};
      };
      must(in_turn ? repositories[client]->store().exclusive(append) : append());
    }
  });
}

}  // namespace spoor::bench
