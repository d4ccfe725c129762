// spoor_bench [--json] [--audit | --debrief | --questions | --sizes | --streams]
//             [Google Benchmark's own flags]
// Given a --benchmark_filter, it prints what Google Benchmark measures and no page of figures.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "bench/figures.h"
#include "bench/workload.h"

namespace {

using spoor::bench::Row;
using spoor::bench::Times;

// What can be asked for alone.
constexpr std::array<std::string_view, 5> kParts = {"--audit", "--debrief", "--questions",
                                                    "--sizes", "--streams"};

// Prints as usual, to stderr where the page is JSON, and keeps the times.
class Collector : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      std::string name = run.benchmark_name();
      for (const char* suffix : {"/iterations", "/manual_time", "/real_time", "/repeats"}) {
        if (const auto at = name.find(suffix); at != std::string::npos) name.resize(at);
      }
      times_[name].push_back(run.GetAdjustedRealTime());
    }
    if (!is_quiet) ConsoleReporter::ReportRuns(runs);
  }
  bool ReportContext(const Context& context) override {
    return is_quiet || ConsoleReporter::ReportContext(context);
  }

  Times medians() const {
    Times times;
    for (const auto& [name, all] : times_) times[name] = spoor::bench::median(all);
    return times;
  }
  bool is_quiet = false;

 private:
  std::map<std::string, std::vector<double>> times_;
};

}  // namespace

int main(int count, char** arguments) {
  bool as_json = false;
  bool is_filtered = false;
  std::string_view part;  // Of all the figures; empty for all.
  // Repeated in turn, so that a slow minute of the machine falls on both sides.
  static char repeat[] = "--benchmark_repetitions=5";
  static char interleave[] = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> flags = {arguments[0], repeat, interleave};
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--json") == 0) {
      as_json = true;
    } else if (std::ranges::find(kParts, arguments[i]) != kParts.end()) {
      part = arguments[i];
    } else {
      const std::string_view argument = arguments[i];
      is_filtered |= argument.starts_with("--benchmark_filter") ||
                     argument.starts_with("--benchmark_list_tests");
      flags.push_back(arguments[i]);
    }
  }
  int flag_count = static_cast<int>(flags.size());
  benchmark::Initialize(&flag_count, flags.data());
  if (benchmark::ReportUnrecognizedArguments(flag_count, flags.data())) return 2;

  const auto wants = [&](std::string_view name) { return part.empty() || part == name; };
  const bool all = part.empty();
  if (all) {
    spoor::bench::register_commit();
    spoor::bench::register_walk();
    spoor::bench::register_compile();
    spoor::bench::register_fold();
  }
  if (wants("--streams")) {
    spoor::bench::register_stream();
    spoor::bench::register_record();
  }
  if (wants("--audit")) {
    spoor::bench::register_redact();
    spoor::bench::register_check();
  }
  Collector collector;
  collector.is_quiet = as_json;
  if (all || part == "--streams" || part == "--audit") {
    benchmark::RunSpecifiedBenchmarks(&collector);
  }

  if (is_filtered) return 0;

  const Times times = collector.medians();
  std::vector<Row> rows;
  if (all) {
    spoor::bench::rows_of_commit(times, rows);
    spoor::bench::measure_writes(rows);
    spoor::bench::measure_bulk(rows);
    spoor::bench::rows_of_walk(times, rows);
    spoor::bench::rows_of_compile(times, rows);
    spoor::bench::rows_of_fold(times, rows);
    spoor::bench::measure_process(rows);
  }
  if (wants("--sizes")) spoor::bench::measure_size(rows);
  if (wants("--streams")) {
    spoor::bench::rows_of_stream(times, rows);
    spoor::bench::rows_of_record(times, rows);
  }
  if (wants("--audit")) {
    spoor::bench::rows_of_redact(times, rows);
    spoor::bench::rows_of_check(times, rows);
  }
  if (wants("--questions")) spoor::bench::measure_questions(rows);
  if (wants("--debrief")) spoor::bench::measure_debrief(rows);
  as_json ? spoor::bench::print_json(rows) : spoor::bench::print_table(rows);
  return 0;
}
