// Walking a log of 10,000 commits through the API, against `git log --format`.
#include <benchmark/benchmark.h>

#include "bench/figures.h"
#include "bench/workload.h"

namespace spoor::bench {
namespace {

std::size_t commits() { return sized(10'000); }

struct History {
  ScratchFolder folder;
  std::unique_ptr<Repository> repository = make_store(folder.path("store"), make_texts(commits()));
  History() { make_git_history(folder.path("git"), make_texts(commits())); }
};

History& history() {
  static History one;
  return one;
}

void walk(benchmark::State& state) {
  const bool is_cold = state.range(0) != 0;
  auto branch = history().repository->branch("main");
  for (auto _ : state) {
    if (is_cold) history().repository->drop_caches();
    std::size_t count = 0;
    must(branch.log([&](const store::NamedCommit& named) {
      benchmark::DoNotOptimize(named.commit->depth);
      return ++count, true;
    }));
    must(count == commits(), "the walk is short");
  }
  must_be_sound(*history().repository);
}

}  // namespace

void register_walk() {
  benchmark::RegisterBenchmark("walk/warm", walk)->Arg(0);
  benchmark::RegisterBenchmark("walk/cold", walk)->Arg(1);
}

void rows_of_walk(const Times& times, std::vector<Row>& rows) {
  std::vector<double> git;
  for (int round = 0; round < 9; ++round) {
    git.push_back(run_seconds({"git", "-C", history().folder.path("git"), "--no-pager", "log",
                               "--format=%H %an %at %s"}));
  }
  const double per_git = median(git) * 1e6 / static_cast<double>(commits());
  for (const auto& [name, label] : {std::pair{"walk/warm/0", "walking the log, warm"},
                                    std::pair{"walk/cold/1", "walking the log, caches dropped"}}) {
    const double per = times.at(name) / 1e3 / static_cast<double>(commits());
    rows.push_back({label, per, "µs/commit", 0, per, 0.5, Row::Want::at_most,
                    "hashes checked on every read from the store"});
    rows.push_back({"  against git log --format", per, "µs/commit", per_git, per_git / per, 10.0,
                    Row::Want::at_least, ""});
  }
}

}  // namespace spoor::bench
