// The fold after one more commit must not depend on the history before it.
#include <benchmark/benchmark.h>

#include <chrono>

#include "bench/figures.h"
#include "bench/workload.h"

namespace spoor::bench {
namespace {

void fold_after(benchmark::State& state, std::size_t turns) {
  const ScratchFolder folder;
  auto texts = make_texts(turns);
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
  for (const auto& [name, turns] : {std::pair{"fold/short", 1'000}, {"fold/long", 100'000}}) {
    const std::size_t count = sized(static_cast<std::size_t>(turns));
    benchmark::RegisterBenchmark(name,
                                 [count](benchmark::State& state) { fold_after(state, count); })
        ->UseManualTime()
        ->Iterations(static_cast<std::int64_t>(sized(2'000)));
  }
}

void rows_of_fold(const Times& times, std::vector<Row>& rows) {
  const double small = times.at("fold/short");
  const double large = times.at("fold/long");
  rows.push_back({"fold after one commit, 100,000 turns", large / 1e3, "µs", small / 1e3,
                  large / small, 1.2, Row::Want::at_most, "floor: the same behind 1,000 turns"});
}

}  // namespace spoor::bench
