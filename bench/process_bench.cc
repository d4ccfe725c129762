// Whole processes, and the size of a file.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <unordered_set>

#include "bench/figures.h"
#include "bench/workload.h"

namespace spoor::bench {

void measure_process(std::vector<Row>& rows) {
  constexpr std::size_t kCommits = 10'000;
  constexpr int kRounds = 101;
  const ScratchFolder folder;
  const auto texts = make_texts(kCommits);
  make_store(folder.path("store"), texts).reset();
  make_git_history(folder.path("git"), texts);
  std::vector<double> ours;
  std::vector<double> git;
  for (int round = 0; round < kRounds; ++round) {
    ours.push_back(
        run_seconds({SPOOR_PROGRAM, "--store", folder.path("store"), "log", "-n", "20", "main"}));
    git.push_back(run_seconds({"git", "-C", folder.path("git"), "--no-pager", "log", "-20"}));
  }
  rows.push_back({"spoor log -n 20, whole process", median(ours) * 1e3, "ms", median(git) * 1e3,
                  median(ours) / median(git), 0.75, Row::Want::at_most,
                  "floor: git log -20 of the same turns"});
}

namespace {

double file_size(const std::string& path) {
  double size = 0;
  for (const char* suffix : {"", "-wal"}) {
    struct stat status {};
    if (stat((path + suffix).c_str(), &status) == 0) size += static_cast<double>(status.st_size);
  }
  return size;
}

double distinct_contents(const Repository& repository) {
  double size = 0;
  must(repository.store().scan([&](const store::StoredObject& stored) {
    if (stored.object.kind == store::Kind::blob) {
      size += static_cast<double>(stored.object.body.size() - sizeof(store::Salt));
    }
    return true;
  }));
  return size;
}

void add_size(const std::string& name, const std::string& path, std::vector<Row>& rows) {
  const auto repository = must(Repository::open(path));
  must_be_sound(*repository);
  const double contents = distinct_contents(*repository);
  const double size = file_size(path);
  rows.push_back({name, size / 1e6, "MB", contents / 1e6, size / contents, 1.30, Row::Want::at_most,
                  "floor: the distinct contents, uncompressed"});
}

}  // namespace

void measure_size(std::vector<Row>& rows) {
  const ScratchFolder folder;
  make_store(folder.path("made"), make_texts(10'000)).reset();
  add_size("file size, made-up turns", folder.path("made"), rows);

  const std::string data = SPOOR_SOURCE_DIR "/../shared/data";
  for (const char* set : {"claude-code-entire-cli", "claude-code-entirecontext"}) {
    if (!std::filesystem::exists(data + "/" + set)) continue;
    const std::string path = folder.path(set);
    run_seconds({SPOOR_PROGRAM, "--store", path, "init"});
    run_seconds({SPOOR_PROGRAM, "--store", path, "import", data + "/" + set});
    add_size(std::string("file size, ") + set, path, rows);
  }
}

}  // namespace spoor::bench
