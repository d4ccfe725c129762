// One commit (content, commit, its place in the log, operation: one transaction) on
// a store kept open, against one raw INSERT of the same text.
#include <benchmark/benchmark.h>

#include <array>

#include "bench/figures.h"
#include "bench/raw_store.h"
#include "bench/workload.h"
#include "store/sha256.h"

namespace spoor::bench {
namespace {

constexpr std::size_t kTexts = 20'000;

const std::vector<std::string>& texts() {
  static const auto all = make_texts(kTexts);
  return all;
}

void commit_ours(benchmark::State& state) {
  const ScratchFolder folder;
  const auto repository = must(Repository::create(folder.path("store")));
  auto branch = repository->branch("main");
  const auto& all = texts();
  std::size_t i = 0;
  for (auto _ : state) must(branch.user(all[i++ % kTexts]));
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

// The rows of such a commit: its text, its fields, the commit itself and, for the raw item, one
// more.
void objects_floor(benchmark::State& state) {
  const ScratchFolder folder;
  RawStore raw(folder.path("raw"));
  const bool has_raw = state.range(0) != 0;
  const std::string commit(400, 'c');  // About the size of a commit's text.
  std::size_t i = 0;
  for (auto _ : state) {
    const std::string& text = texts()[i % kTexts];
    const std::string fields = R"([{"id":")" + std::to_string(i) +
                               R"(","name":"read_file","arguments":{"path":"src/main.cc"}}])";
    const std::string item = R"({"type":"text","n":)" + std::to_string(i) + "}";
    const std::array<Oid, 4> names = {store::sha256(text), store::sha256(fields),
                                      store::sha256(std::to_string(i)), store::sha256(item)};
    if (has_raw) {
      raw.insert_together({{names[0].view(), text},
                           {names[1].view(), fields},
                           {names[2].view(), commit},
                           {names[3].view(), item}});
    } else {
      raw.insert_together(
          {{names[0].view(), text}, {names[1].view(), fields}, {names[2].view(), commit}});
    }
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
  const auto iterations = static_cast<std::int64_t>(sized(8'000));
  benchmark::RegisterBenchmark("commit/ours", commit_ours)->Iterations(iterations);
  benchmark::RegisterBenchmark("commit/floor", commit_floor)->Iterations(iterations);
  benchmark::RegisterBenchmark("commit/fields", commit_with_objects)
      ->Arg(0)
      ->Iterations(iterations);
  benchmark::RegisterBenchmark("commit/raw", commit_with_objects)->Arg(1)->Iterations(iterations);
  benchmark::RegisterBenchmark("commit/fields_floor", objects_floor)
      ->Arg(0)
      ->Iterations(iterations);
  benchmark::RegisterBenchmark("commit/raw_floor", objects_floor)->Arg(1)->Iterations(iterations);
}

void rows_of_commit(const Times& times, std::vector<Row>& rows) {
  const auto add = [&](const char* name, const char* ours, const char* floor, double target,
                       const char* note) {
    const double took = times.at(ours);
    const double raw = times.at(floor);
    rows.push_back(
        {name, 1e9 / took, "commits/s", 1e9 / raw, raw / took, target, Row::Want::at_least, note});
  };
  add("commit, one transaction (tmpfs)", "commit/ours", "commit/floor", 0.60,
      "floor: INSERT(hash, blob), hash at hand");
  add("  with fields", "commit/fields/0", "commit/fields_floor/0", 0.50,
      "floor: the INSERTs of text, fields and commit in one transaction, hashed");
  add("  with fields and a raw item", "commit/raw/1", "commit/raw_floor/1", 0.50,
      "floor: and of the raw item");
}

void measure_writes(std::vector<Row>& rows) {
  const std::size_t kCount = sized(10'000);
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
  const std::size_t kDurable = sized(400);
  {
    const auto repository = must(Repository::create(disk.path("store")));
    auto branch = repository->branch("main");
    must(branch.user("first"));
    const std::uint64_t before = sync_count();
    for (std::size_t i = 0; i < kDurable; ++i) must(branch.user(texts()[i]));
    const double syncs = static_cast<double>(sync_count() - before) / static_cast<double>(kDurable);
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
