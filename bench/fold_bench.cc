// The fold after one more commit must not depend on the history before it.
#include <benchmark/benchmark.h>

#include <chrono>

#include "bench/figures.h"
#include "bench/workload.h"

namespace spoor::bench {
namespace {

void fold_one(benchmark::State& state) {
  const ScratchFolder folder;
  auto texts = make_texts(static_cast<std::size_t>(state.range(0)));
  for (std::string& text : texts) text.resize(32);  // The texts are not what is measured.
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] += std::to_string(i);
  const auto repository = make_store(folder.path("store"), texts);
  auto branch = repository->branch("main");
  must(repository->folder().at(*must(branch.tip())));
  std::size_t i = 0;
  for (auto _ : state) {
    const Oid tip = must(branch.user("one more " + std::to_string(i++)));
    const auto start = std::chrono::steady_clock::now();
    must(repository->folder().at(tip));
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}

}  // namespace

void register_fold() {
  benchmark::RegisterBenchmark("fold", fold_one)
      ->Arg(1'000)
      ->Arg(100'000)
      ->UseManualTime()
      ->Iterations(2'000);
}

void rows_of_fold(const Times& times, std::vector<Row>& rows) {
  const double small = times.at("fold/1000");
  const double large = times.at("fold/100000");
  rows.push_back({"fold after one commit, 100,000 turns", large / 1e3, "µs", small / 1e3,
                  large / small, 1.5, Row::Want::at_most, "floor: the same behind 1,000 turns"});
}

}  // namespace spoor::bench
