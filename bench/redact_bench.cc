// What redaction costs: on text, and on a commit.
#include <benchmark/benchmark.h>

#include "base/json/writer.h"
#include "bench/figures.h"
#include "bench/workload.h"
#include "guard/redact/redacting_scrubber.h"

namespace spoor::bench {
namespace {

constexpr std::size_t kRedactedTexts = 2'000;

std::unique_ptr<guard::RedactingScrubber> scrubber() {
  return std::make_unique<guard::RedactingScrubber>([] { return guard::RuleSet::with_builtin(); },
                                                    std::make_unique<guard::MemoryNumbering>());
}

// The texts of a session, with a secret in one of a hundred; as texts, or as JSON.
const std::vector<std::string>& texts(bool as_json) {
  static const auto make = [](bool json) {
    std::vector<std::string> all = make_texts(kRedactedTexts, 21);
    for (std::size_t i = 0; i < all.size(); i += 100) {
      all[i] += "\nmail jo" + std::to_string(i) + "@somewhere.com, token gh" + "p_0123456789" +
                "abcdefghijABCDEFGHIJ012345\n";
    }
    if (!json) return all;
    for (std::string& text : all) {
      text = R"({"type":"text","text":)" + json::write_string(text) + "}";
    }
    return all;
  };
  static const std::vector<std::string> plain = make(false);
  static const std::vector<std::string> json = make(true);
  return as_json ? json : plain;
}

double bytes_of(const std::vector<std::string>& all) {
  double bytes = 0;
  for (const std::string& text : all) bytes += static_cast<double>(text.size());
  return bytes;
}

void redact(benchmark::State& state, bool as_json) {
  const auto redacting = scrubber();
  for (auto _ : state) {
    for (const std::string& text : texts(as_json)) {
      benchmark::DoNotOptimize(must(redacting->scrub(compile::Slot::text, text)).size());
    }
  }
}

void redact_text(benchmark::State& state) { redact(state, false); }
void redact_json(benchmark::State& state) { redact(state, true); }

// What was said in real sessions, if there are any.
const std::vector<std::string>& real_texts() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> found;
    const ScratchFolder folder;
    for (const auto& set : real_sessions()) {
      const std::string path = folder.path(set.filename());
      run_seconds({SPOOR_PROGRAM, "--store", path, "init"});
      run_seconds({SPOOR_PROGRAM, "--store", path, "import", set});
      const auto repository = must(Repository::open(path));
      must(repository->store().scan([&](const store::StoredObject& stored) {
        if (stored.object.kind == store::Kind::blob) {
          found.push_back(stored.object.body.substr(sizeof(store::Salt)));
        }
        return true;
      }));
    }
    return found;
  }();
  return all;
}

void redact_real(benchmark::State& state) {
  const auto redacting = scrubber();
  const auto& all = real_texts();
  for (auto _ : state) {
    for (const std::string& text : all) {
      const auto slot = text.starts_with("{") ? compile::Slot::raw : compile::Slot::text;
      benchmark::DoNotOptimize(must(redacting->scrub(slot, text)).size());
    }
  }
}

void copy_all(benchmark::State& state, const std::vector<std::string>& all) {
  for (auto _ : state) {
    for (const std::string& text : all) {
      std::string copy = text;
      benchmark::DoNotOptimize(copy.data());
    }
  }
}

void redact_floor(benchmark::State& state) { copy_all(state, texts(false)); }
void real_floor(benchmark::State& state) { copy_all(state, real_texts()); }

void commit_all(benchmark::State& state, bool is_redacting) {
  for (auto _ : state) {
    state.PauseTiming();
    Repository::Options options;
    if (is_redacting) options.scrubber = scrubber();
    const auto repository = Repository::in_memory(std::move(options));
    Branch branch = repository->branch("main");
    must(branch.user("the first, which reads the rules a@somewhere.com").has_value(), "no commit");
    state.ResumeTiming();
    for (const std::string& text : texts(false)) must(branch.user(text));
  }
}

void redacting_commits(benchmark::State& state) { commit_all(state, true); }
void plain_commits(benchmark::State& state) { commit_all(state, false); }

}  // namespace

void register_redact() {
  benchmark::RegisterBenchmark("redact/text", redact_text);
  benchmark::RegisterBenchmark("redact/json", redact_json);
  benchmark::RegisterBenchmark("redact/floor", redact_floor);
  if (!real_sessions().empty()) {
    benchmark::RegisterBenchmark("redact/real", redact_real);
    benchmark::RegisterBenchmark("redact/real_floor", real_floor);
  }
  benchmark::RegisterBenchmark("redact/commits", redacting_commits);
  benchmark::RegisterBenchmark("redact/plain_commits", plain_commits);
}

void rows_of_redact(const Times& times, std::vector<Row>& rows) {
  constexpr double kMegabytes = 1e3;  // A byte a nanosecond is 1,000 MB/s.
  const double bytes = bytes_of(texts(false));
  const double floor = bytes / times.at("redact/floor") * kMegabytes;
  const double text = bytes / times.at("redact/text") * kMegabytes;
  const double json = bytes_of(texts(true)) / times.at("redact/json") * kMegabytes;
  rows.push_back({"redacting text", text, "MB/s", floor, text / floor, std::nullopt,
                  Row::Want::at_least, "floor: a copy of the same texts"});
  rows.push_back({"redacting JSON", json, "MB/s", floor, json / floor, std::nullopt,
                  Row::Want::at_least, "the same"});
  if (times.contains("redact/real")) {
    const double real = bytes_of(real_texts()) / times.at("redact/real") * kMegabytes;
    const double copied = bytes_of(real_texts()) / times.at("redact/real_floor") * kMegabytes;
    rows.push_back({"redacting real sessions", real, "MB/s", copied, real / copied, std::nullopt,
                    Row::Want::at_least, "the same, of what was said in them"});
  }
  const double with = times.at("redact/commits") / kRedactedTexts / 1e3;
  const double without = times.at("redact/plain_commits") / kRedactedTexts / 1e3;
  rows.push_back({"one commit, redacted", with, "µs", without, with / without, std::nullopt,
                  Row::Want::at_most, "floor: the same commit in full, both in memory"});
}

}  // namespace spoor::bench
