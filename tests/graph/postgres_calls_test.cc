// How often a repository over a server waits for it.
#include <doctest/doctest.h>

#include <functional>

#include "graph/repository.h"
#include "store/ancestry.h"
#include "store/archive.h"
#include "store/postgres/postgres_store.h"
#include "tests/store/postgres_server.h"

using namespace spoor;

namespace {

constexpr std::uint64_t kTurns = 10'000;

compile::Turn turn(std::uint64_t number) {
  const std::string text = std::to_string(number);
  compile::Turn made{.type = number % 2 == 0 ? compile::Type::user : compile::Type::assistant,
                     .text = "turn " + text};
  if (number % 2 == 1) {
    made.fields.tool_calls = {{.id = text, .name = "ls", .arguments = "{}"}};
  }
  return made;
}

std::string new_history(store::PostgresServer& server) {
  const std::string address = server.new_address();
  const auto repository =
      graph::Repository::over(store::PostgresStore::create(address, {}).value(), {}).value();
  auto branch = repository->branch("main");
  for (std::uint64_t i = 0; i < kTurns; i += 1'000) {
    std::vector<compile::Turn> turns;
    for (std::uint64_t j = i; j < i + 1'000; ++j) turns.push_back(turn(j));
    REQUIRE(branch.commit(std::move(turns)));
  }
  return address;
}

// A program that has just opened the store and knows where its branch is.
struct Program {
  explicit Program(const std::string& address) {
    auto opened = store::PostgresStore::open(address, {}).value();
    store = opened.get();
    repository = graph::Repository::over(std::move(opened), {}).value();
    branch.emplace(repository->branch("main"));
    tip = *branch->tip().value();
  }

  const store::PostgresStore* store = nullptr;
  std::unique_ptr<graph::Repository> repository;
  std::optional<graph::Branch> branch;
  graph::Oid tip;
};

struct Budget {
  std::string what;
  double most;   // Round trips of one.
  double count;  // How many there are in what is done.
  std::function<void(Program&)> before;
  std::function<void(Program&)> run;
};

void append(Program& program) { REQUIRE(program.branch->commit(turn(kTurns))); }

// The last turns with what they say.
void read_log(Program& program) {
  const store::Reader& reader = program.repository->reader();
  std::vector<graph::Oid> contents;
  std::size_t seen = 0;
  REQUIRE(store::walk_chain(reader, program.tip, [&](const store::NamedCommit& each) {
    contents.push_back(each.commit->content->oid);
    if (each.commit->fields) contents.push_back(*each.commit->fields);
    return ++seen < 20;
  }));
  CHECK(reader.contents(contents).value().size() == 30);
}

void resolve(Program& program, std::uint64_t steps) {
  const auto found =
      program.repository->resolve("HEAD~" + std::to_string(steps), program.tip).value();
  CHECK(program.repository->reader().commit(found).value()->depth == kTurns - 1 - steps);
}

void compile_all(Program& program) {
  CHECK(program.repository->compile(program.tip, {}).value().messages.size() == kTurns);
}

void archive(Program& program) {
  store::ArchiveHead head;
  head.refs = {{store::branch_ref("main"), program.tip}};
  const auto count =
      store::write_archive(*program.store, head, [](std::string_view) { return Result<void>(); });
  CHECK(count.value().commits == kTurns);
}

}  // namespace

TEST_SUITE("graph/postgres") {
  TEST_CASE("what a repository does over a server costs few round trips") {
    auto* server = store::PostgresServer::get();
    if (server == nullptr) return;
    const std::string address = new_history(*server);
    const auto nothing = [](Program&) {};
    const Budget budgets[] = {
        {"open, and find a branch", 2, 1, nothing, nothing},
        {"log of 20", 2, 1, nothing, read_log},
        {"resolve ~5000", 1, 1, nothing, [](Program& each) { resolve(each, 5'000); }},
        {"resolve to the root", 1, 1, nothing, [](Program& each) { resolve(each, kTurns - 1); }},
        {"compile of 10,000 turns, cold", 1, 1, nothing, compile_all},
        {"archive, for each commit", 0.02, kTurns, nothing, archive},
        // Now and then, what a turn names as `skip` is read.
        {"append", 1.05, 100, append,
         [](Program& each) {
           for (int i = 0; i < 100; ++i) append(each);
         }},
    };
    for (const Budget& each : budgets) {
      CAPTURE(each.what);
      Program program(address);
      each.before(program);
      const bool is_opening = &each == budgets;
      const std::uint64_t before = is_opening ? 0 : program.store->round_trips();
      each.run(program);
      CHECK(static_cast<double>(program.store->round_trips() - before) <= each.most * each.count);
    }
  }
}
