// One commit (content, commit, its place in the log, operation: one transaction) on
// a store kept open, against one raw INSERT of the same text.
#include <benchmark/benchmark.h>

#include "bench/figures.h"
#include "bench/raw_store.h"
#include "bench/workload.h"
#include "store/sha256.h"

namespace spoor::bench {
namespace {

constexpr std::size_t kTexts = 20'000;
constexpr std::int64_t kIterations = 8'000;

const std::vector<std::string>& texts() {
  static const auto all = make_texts(kTexts);
  return all;
}

void commit_ours(benchmark::State& state) {
  const ScratchFolder folder;
  const auto repository = must(Repository::create(folder.path("store")));
  auto branch = repository->branch("main");
  std::size_t i = 0;
  for (auto _ : state) must(branch.user(texts()[i++ % kTexts]));
  must_be_sound(*repository);
}

void commit_floor(benchmark::State& state) {
  const ScratchFolder folder;
  RawStore raw(folder.path("raw"));
  std::vector<Oid> hashes;
  for (const std::string& text : texts()) hashes.push_back(store::sha256(text));
  std::size_t i = 0;
  for (auto _ : state) {
    raw.insert(hashes[i % kTexts].view(), texts()[i % kTexts]);
    ++i;
  }
}

// The same with `fields` and a raw item: two more objects a commit.
void commit_with_objects(benchmark::State& state) {
  const ScratchFolder folder;
  const auto repository = must(Repository::create(folder.path("store")));
  auto branch = repository->branch("main");
  const bool has_raw = state.range(0) != 0;
  std::size_t i = 0;
  for (auto _ : state) {
    Turn turn{.type = Type::assistant, .text = texts()[i % kTexts]};
    turn.fields.tool_calls = {{{std::to_string(i), "read_file", R"({"path":"src/main.cc"})"}}};
    if (has_raw)
      turn.raw.push_back({R"({"type":"text","n":)" + std::to_string(i) + "}", "application/json"});
    must(branch.commit(std::move(turn)));
    ++i;
  }
}

}  // namespace

void register_commit() {
  benchmark::RegisterBenchmark("commit/ours", commit_ours)->Iterations(kIterations);
  benchmark::RegisterBenchmark("commit/floor", commit_floor)->Iterations(kIterations);
  benchmark::RegisterBenchmark("commit/fields", commit_with_objects)
      ->Arg(0)
      ->Iterations(kIterations);
  benchmark::RegisterBenchmark("commit/raw", commit_with_objects)->Arg(1)->Iterations(kIterations);
}

void rows_of_commit(const Times& times, std::vector<Row>& rows) {
  const double ours = times.at("commit/ours");
  const double floor = times.at("commit/floor");
  rows.push_back({"commit, one transaction (tmpfs)", 1e9 / ours, "commits/s", 1e9 / floor,
                  floor / ours, 0.50, Row::Want::at_least,
                  "floor: INSERT(hash, blob), hash at hand"});
  rows.push_back({"  with fields",
                  1e9 / times.at("commit/fields/0"),
                  "commits/s",
                  1e9 / floor,
                  floor / times.at("commit/fields/0"),
                  {},
                  Row::Want::at_least,
                  ""});
  rows.push_back({"  with fields and a raw item",
                  1e9 / times.at("commit/raw/1"),
                  "commits/s",
                  1e9 / floor,
                  floor / times.at("commit/raw/1"),
                  {},
                  Row::Want::at_least,
                  ""});
}

void measure_writes(std::vector<Row>& rows) {
  constexpr std::size_t kCount = 10'000;
  const ScratchFolder folder;
  std::uint64_t floor = bytes_written();
  {
    RawStore raw(folder.path("raw"));
    for (std::size_t i = 0; i < kCount; ++i)
      raw.insert(store::sha256(texts()[i]).view(), texts()[i]);
  }
  floor = bytes_written() - floor;
  std::uint64_t ours = bytes_written();
  {
    const auto repository = must(Repository::create(folder.path("store")));
    auto branch = repository->branch("main");
    for (std::size_t i = 0; i < kCount; ++i) must(branch.user(texts()[i]));
  }
  ours = bytes_written() - ours;
  const double per = static_cast<double>(kCount);
  rows.push_back({"bytes written a commit", static_cast<double>(ours) / per, "bytes",
                  static_cast<double>(floor) / per,
                  static_cast<double>(ours) / static_cast<double>(floor), 2.3, Row::Want::at_most,
                  "floor: INSERT(hash, blob); both with their checkpoints and close"});

  const ScratchFolder disk(true);
  constexpr std::size_t kDurable = 400;
  {
    const auto repository = must(Repository::create(disk.path("store")));
    auto branch = repository->branch("main");
    must(branch.user("first"));
    const std::uint64_t before = sync_count();
    for (std::size_t i = 0; i < kDurable; ++i) must(branch.user(texts()[i]));
    const double syncs = static_cast<double>(sync_count() - before) / kDurable;
    rows.push_back({"syncs a durable commit, store kept open", syncs, "fdatasync", 1, syncs, 1.05,
                    Row::Want::at_most, ""});
  }
  const std::uint64_t before = sync_count();
  {
    const auto repository = must(Repository::open(disk.path("store")));
    must(repository->branch("main").user("one shot"));
  }
  const auto syncs = static_cast<double>(sync_count() - before);
  rows.push_back({"syncs of open, one commit, close",
                  syncs,
                  "fdatasync",
                  1,
                  syncs,
                  {},
                  Row::Want::at_most,
                  ""});
}

}  // namespace spoor::bench
