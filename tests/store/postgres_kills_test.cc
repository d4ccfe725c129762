// A program that writes a store on a server, killed anywhere.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "store/postgres/postgres_store.h"
#include "tests/store/child.h"
#include "tests/store/chores.h"
#include "tests/store/postgres_server.h"
#include "tests/store/postgres_sql.h"
#include "tests/store/sound.h"
#include "tests/store/turns.h"
#include "tests/support/soak.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

// Appends until it is killed, takes in an archive and collects garbage between, and writes the name
// of each turn that was acknowledged into the pipe.
int write_until_killed(const std::string& address, const std::string& archive, unsigned seed,
                       int pipe) {
  const auto store = PostgresStore::open(address, {}).value();
  const Reader reader(*store);
  for (std::uint64_t i = 0;; ++i) {
    const std::string theirs = std::to_string(seed) + "/" + std::to_string(i);
    if (i % 8 == 3 && (!import_archive(*store, archive, theirs) || !drop_branch(*store, theirs))) {
      return 1;
    }
    if (i % 8 == 4 && !collect_garbage(*store)) return 2;
    const auto done =
        append_turn(*store, reader, branch_ref("main"), words_of(i * 97 % 9'000, seed * 1'000 + i));
    if (!done || ::write(pipe, done->bytes.data(), sizeof(Oid)) != sizeof(Oid)) return 3;
  }
}

std::vector<Oid> line_of(const Store& store) {
  std::vector<Oid> line;
  const auto tip = store.ref(branch_ref("main")).value();
  if (!tip) return line;
  REQUIRE(store.run(*tip, 1'000'000, 0, [&](const Store::RunStep& step) {
    line.push_back(step.oid);
    return true;
  }));
  std::ranges::reverse(line);
  return line;
}

}  // namespace

TEST_SUITE("store/durability") {
  TEST_CASE("a program that is killed while it writes to a server loses no acknowledged turn") {
    auto* server = PostgresServer::get();
    if (server == nullptr) return;
    const std::string address = server->new_address();
    REQUIRE(PostgresStore::create(address, {}));
    const std::string archive = archive_of_another_store();
    std::mt19937 random(spoor::testing::seeded(4));
    std::vector<Oid> expected;
    int unacknowledged = 0;
    for (unsigned kill = 0; kill < spoor::testing::rounds(60U); ++kill) {
      std::array<int, 2> ends{};
      REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
      {
        Child writer([&] { return write_until_killed(address, archive, kill, ends[1]); });
        ::close(ends[1]);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 150'000));
        writer.kill();
      }
      Oid acknowledged;
      while (::read(ends[0], acknowledged.bytes.data(), sizeof(Oid)) == sizeof(Oid)) {
        expected.push_back(acknowledged);
      }
      ::close(ends[0]);

      await_clients(address, 0);  // The server may still be at the last change.
      const auto store = PostgresStore::open(address, {}).value();
      const auto line = line_of(*store);
      REQUIRE(line.size() >= expected.size());
      // One may be there that its writer did not live to acknowledge.
      REQUIRE(line.size() <= expected.size() + 1);
      REQUIRE(std::equal(expected.begin(), expected.end(), line.begin()));
      if (line.size() > expected.size()) ++unacknowledged;
      expected = line;
      if (kill % 10 == 9) check_is_sound(*store);
    }
    check_is_sound(*PostgresStore::open(address, {}).value());
    CHECK(expected.size() > 60);
    MESSAGE(expected.size() << " turns, " << unacknowledged << " of them without a reply");
  }
}
