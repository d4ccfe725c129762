// Whole processes.
#include "bench/figures.h"
#include "bench/workload.h"

namespace spoor::bench {

void measure_process(std::vector<Row>& rows) {
  const std::size_t kCommits = sized(10'000);
  const std::size_t kRounds = sized(100) + 1;
  const ScratchFolder folder;
  const auto texts = make_texts(kCommits);
  make_store(folder.path("store"), texts).reset();
  make_git_history(folder.path("git"), texts);
  std::vector<double> ours;
  std::vector<double> git;
  for (std::size_t round = 0; round < kRounds; ++round) {
    ours.push_back(
        run_seconds({SPOOR_PROGRAM, "--store", folder.path("store"), "log", "-n", "20", "main"}));
    git.push_back(run_seconds({"git", "-C", folder.path("git"), "--no-pager", "log", "-20"}));
  }
  rows.push_back({"spoor log -n 20, whole process", median(ours) * 1e3, "ms", median(git) * 1e3,
                  median(ours) / median(git), 0.75, Row::Want::at_most,
                  "floor: git log -20 of the same turns"});
}

}  // namespace spoor::bench
