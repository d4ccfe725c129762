// What one asks of a long history: why, blame, search, rebase, gc, each as a whole process, at
// 10,000 and 100,000 commits. ReplyAdditions them reading the same texts from a table of SQLite's
// own and looking for the same words. All of it in processor time.
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <random>

#include <fmt/format.h>

#include "bench/figures.h"
#include "bench/raw_store.h"
#include "bench/workload.h"
#include "store/sha256.h"

namespace spoor::bench {
namespace {

constexpr const char* kPhrase = "turn 77: ";  // One of the oldest turns says it, and no other.

std::size_t rebased() { return sized(1'000); }

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
    trust(store_);
    RawStore raw(folder_.path("raw"));
    for (const std::string& text : texts) raw.insert(store::sha256(text).view(), text);
    floor_ = median_of([&] {
      return seconds_of([&] { must(raw.count_with(kPhrase) == 1, "the phrase is lost"); });
    });
  }

  void ask() {
    scan("why", {"why", kPhrase, "main"}, 2);
    scan("blame", {"blame", "main"}, 3);
    scan("search TEXT", {"search", kPhrase}, 1.5);
    add("search --query, first", median_of([&] {
          ::unlink((store_ + "-search").c_str());
          return spoor({"search", "--query", "\"turn 77\""});
        }),
        floor_, 5, kReading);
    const double warm = median_of([&] {
                          return spoor({"search", "--query", "\"turn 77\""});
                        }) *
                        1e3;
    rows_.push_back({label("search --query, index warm"), warm, "ms", floor_ * 1e3, warm, 10,
                     Row::Want::at_most, "floor: as before; wanted: milliseconds"});
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
    add("rebase of 1,000 commits", median(ours), median(appended), 1.5,
        "floor: appending 1,000 turns in one transaction");
  }

  // After rebase(): the originals of its 3,000 commits are what goes.
  void gc() {
    scan("gc, dry run", {"store", "gc", "--retention", "now"}, 5);
    const double packing = spoor({"store", "gc", "--vacuum"});
    add("gc --vacuum, which packs all", packing, floor_, std::nullopt, kReading);
    const double seconds = spoor({"store", "gc", "--prune", "--retention", "now"});
    add("gc --prune, 3,000 commits go, packed before", seconds, floor_, 5, kReading);
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
    const auto texts = make_texts(rebased(), std::hash<std::string>()(branch));
    const Timestamp now = repository->clock().now();
    must(repository->transact("bench", OnConflict::fail, [&](Draft& draft) -> Result<void> {
      for (const std::string& text : texts) {
        Turn turn{.type = Type::user, .text = text};
        TRY(draft.append("refs/heads/" + branch, graph::stamped(std::move(turn), "bench", now)));
      }
      return {};
    }));
  }

  void scan(const std::string& name, const std::vector<std::string>& words, double target) {
    add(name, median_of([&] { return spoor(words); }), floor_, target, kReading);
  }

  std::string label(const std::string& name) const {
    return fmt::format("{}, {} commits", name, commits_ == sized(10'000) ? "10,000" : "100,000");
  }

  void add(const std::string& name, double seconds, double floor, std::optional<double> target,
           const char* note) {
    rows_.push_back({label(name), seconds * 1e3, "ms", floor * 1e3, seconds / floor, target,
                     Row::Want::at_most, note});
  }

  const std::size_t commits_;
  std::vector<Row>& rows_;
  const ScratchFolder folder_;
  const std::string store_ = folder_.path("store");
  double floor_ = 0;
};

// A random commit of a long line, each time in a new process.
void ask_long_line(std::vector<Row>& rows) {
  const std::size_t turns = sized(1'000'000);
  const ScratchFolder folder;
  const std::string store = folder.path("store");
  auto texts = make_texts(turns);
  for (std::string& text : texts) text.resize(std::min<std::size_t>(text.size(), 300));
  make_store(store, texts).reset();
  texts.clear();
  trust(store);
  std::mt19937_64 random(5);
  const auto ask = [&](const std::string& name, std::vector<std::string> words, int rounds) {
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
      std::vector<std::string> command = {SPOOR_PROGRAM, "--store", store, words[0],
                                          fmt::format("main~{}", random() % turns)};
      command.insert(command.end(), words.begin() + 1, words.end());
      times.push_back(run_seconds(command) * 1e3);
    }
    rows.push_back({name, median(times), "ms", 0, median(times), 20, Row::Want::at_most,
                    "a random commit of 1,000,000, in a new process"});
  };
  ask("show, the first time", {"show"}, 1);
  ask("show", {"show"}, 31);
  ask("compile --budget 8000", {"compile", "--budget", "8000"}, 31);
}

}  // namespace

void measure_questions(std::vector<Row>& rows) {
  ask_long_line(rows);
  for (const std::size_t commits : {10'000, 100'000}) {
    Questions questions(sized(commits), rows);
    questions.ask();
    questions.rebase();
    questions.gc();
  }
}

}  // namespace spoor::bench
