// Whole processes.
#include <cstdlib>

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

// What an agent's hook runs with each of the person's prompts (docs/watch.md), beside a process
// that does nothing.
void measure_hook(std::vector<Row>& rows) {
  const std::size_t kRounds = sized(200) + 1;
  const ScratchFolder home;
  const char* before = std::getenv("HOME");
  const std::string kept = before != nullptr ? before : "/";
  ::setenv("HOME", home.path("home").c_str(), 1);
  ::setenv("XDG_STATE_HOME", home.path("state").c_str(), 1);
  const std::vector<std::string> hook = {SPOOR_PROGRAM, "watch", "--background"};
  run_seconds(hook);  // The first one stays, and follows.
  std::vector<double> ours;
  std::vector<double> nothing;
  for (std::size_t round = 0; round < kRounds; ++round) {
    ours.push_back(run_seconds(hook));
    nothing.push_back(run_seconds({"/bin/true"}));
  }
  run_seconds({SPOOR_PROGRAM, "watch", "--stop"});
  ::setenv("HOME", kept.c_str(), 1);
  ::unsetenv("XDG_STATE_HOME");
  rows.push_back({"a hook, whole process", median(ours) * 1e3, "ms", median(nothing) * 1e3,
                  median(ours) * 1e3, 2.0, Row::Want::at_most,
                  "floor: /bin/true; 'spoor watch' runs already"});
}

}  // namespace spoor::bench
