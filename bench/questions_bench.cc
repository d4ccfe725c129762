// What one asks of a long history: why, blame, search, rebase, gc, each as a whole process, at
// 10,000 and 100,000 commits. Beside them reading the same texts from a table of SQLite's own and
// looking for the same words. All of it in processor time.
#include <unistd.h>

#include <functional>

#include <fmt/format.h>

#include "bench/figures.h"
#include "bench/raw_store.h"
#include "bench/workload.h"
#include "store/sha256.h"

namespace spoor::bench {
namespace {

constexpr const char* kPhrase = "turn 77: ";  // One of the oldest turns says it, and no other.
constexpr std::size_t kRebased = 1'000;

double seconds_of(const std::function<void()>& work) {
  const double start = processor_seconds();
  work();
  return processor_seconds() - start;
}

double median_of(const std::function<double()>& measure) {
  std::vector<double> times;
  for (int round = 0; round < 5; ++round) times.push_back(measure());
  return median(times);
}

class Questions {
 public:
  Questions(std::size_t commits, std::vector<Row>& rows) : commits_(commits), rows_(rows) {
    const auto texts = make_texts(commits);
    make_store(store_, texts).reset();
    RawStore raw(folder_.path("raw"));
    for (const std::string& text : texts) raw.insert(store::sha256(text).view(), text);
    floor_ = median_of([&] {
      return seconds_of([&] { must(raw.count_with(kPhrase) == 1, "the phrase is lost"); });
    });
  }

  void ask() {
    scan("why", {"why", kPhrase, "main"});
    scan("blame", {"blame", "main"});
    scan("search TEXT", {"search", kPhrase});
    add("search --query, first", median_of([&] {
          ::unlink((store_ + "-search").c_str());
          return spoor({"search", "--query", "\"turn 77\""});
        }),
        floor_, kReading);
    scan("search --query, index warm", {"search", "--query", "\"turn 77\""});
  }

  void rebase() {
    std::vector<double> ours;
    std::vector<double> appended;
    for (const char* name : {"one", "two", "three"}) {
      spoor({"branch", name, fmt::format("main~{}", commits_ / 2)});
      append(name);
      spoor({"branch", fmt::format("{}-floor", name), "main"});
      appended.push_back(seconds_of([&] { append(fmt::format("{}-floor", name)); }));
      spoor({"switch", name});
      ours.push_back(spoor({"rebase", "main"}));
    }
    add("rebase of 1,000 commits", median(ours), median(appended),
        "floor: appending 1,000 turns in one transaction");
  }

  // After rebase(): the originals of its 3,000 commits are what goes.
  void gc() {
    scan("gc, dry run", {"gc", "--retention", "now"});
    const double seconds = spoor({"gc", "--prune", "--retention", "now"});
    add("gc --prune, 3,000 commits go", seconds, floor_, kReading);
    must_be_sound(*must(Repository::open(store_)));
  }

 private:
  static constexpr const char* kReading = "floor: the same texts from a raw table, searched";

  // Seconds that a command takes.
  double spoor(std::vector<std::string> words) const {
    words.insert(words.begin(), {SPOOR_PROGRAM, "--store", store_});
    return run_processor_seconds(words);
  }

  void append(const std::string& branch) const {
    const auto repository = must(Repository::open(store_));
    const auto texts = make_texts(kRebased, std::hash<std::string>()(branch));
    const Timestamp now = repository->clock().now();
    must(repository->transact("bench", OnConflict::fail, [&](Draft& draft) -> Result<void> {
      for (const std::string& text : texts) {
        Turn turn{.type = Type::user, .text = text};
        TRY(draft.append("refs/heads/" + branch, graph::stamped(std::move(turn), "bench", now)));
      }
      return {};
    }));
  }

  void scan(const std::string& name, const std::vector<std::string>& words) {
    add(name, median_of([&] { return spoor(words); }), floor_, kReading);
  }

  void add(const std::string& name, double seconds, double floor, const char* note) {
    const std::string label =
        fmt::format("{}, {} commits", name, commits_ == 10'000 ? "10,000" : "100,000");
    rows_.push_back({label, seconds * 1e3, "ms", floor * 1e3, seconds / floor, std::nullopt,
                     Row::Want::at_most, note});
  }

  const std::size_t commits_;
  std::vector<Row>& rows_;
  const ScratchFolder folder_;
  const std::string store_ = folder_.path("store");
  double floor_ = 0;
};

}  // namespace

void measure_questions(std::vector<Row>& rows) {
  for (const std::size_t commits : {10'000, 100'000}) {
    Questions questions(commits, rows);
    questions.ask();
    questions.rebase();
    questions.gc();
  }
}

}  // namespace spoor::bench
