// Bulk import in batches, against one-by-one INSERTs and `git fast-import`.
#include <chrono>

#include "bench/figures.h"
#include "bench/raw_store.h"
#include "bench/workload.h"
#include "store/sha256.h"

namespace spoor::bench {

void measure_bulk(std::vector<Row>& rows) {
  const std::size_t kTurns = sized(10'000);
  constexpr int kRounds = 5;
  const auto texts = make_texts(kTurns);
  std::vector<double> ours;
  std::vector<double> inserts;
  std::vector<double> git;
  const auto seconds = [](auto&& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (int round = 0; round < kRounds; ++round) {
    const ScratchFolder folder;
    ours.push_back(seconds([&] { make_store(folder.path("store"), texts).reset(); }));
    inserts.push_back(seconds([&] {
      RawStore raw(folder.path("raw"));
      for (const std::string& text : texts) raw.insert(store::sha256(text).view(), text);
    }));
    git.push_back(make_git_history(folder.path("git"), texts));
    if (round + 1 == kRounds) must_be_sound(*must(Repository::open(folder.path("store"))));
  }
  const auto turns = static_cast<double>(kTurns);
  rows.push_back({"bulk import, batches of 1,000 (tmpfs)", turns / median(ours), "turns/s",
                  turns / median(inserts), median(inserts) / median(ours), 1.0, Row::Want::at_least,
                  "floor: one-by-one INSERT(hash, blob)"});
  rows.push_back({"  against git fast-import", turns / median(ours), "turns/s", turns / median(git),
                  median(git) / median(ours), 10.0, Row::Want::at_least,
                  "floor: git fast-import of the same turns, without making its stream"});
}

}  // namespace spoor::bench
