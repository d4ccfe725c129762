// spoor_bench [--json] [--questions | --streams | --debrief] [Google Benchmark's own flags]
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "bench/figures.h"
#include "bench/workload.h"

namespace {

using spoor::bench::Row;
using spoor::bench::Times;

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
  bool questions_only = false;
  bool streams_only = false;
  bool debrief_only = false;
  // Repeated in turn, so that a slow minute of the machine falls on both sides.
  static char repeat[] = "--benchmark_repetitions=5";
  static char interleave[] = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> flags = {arguments[0], repeat, interleave};
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--json") == 0) {
      as_json = true;
    } else if (std::strcmp(arguments[i], "--questions") == 0) {
      questions_only = true;
    } else if (std::strcmp(arguments[i], "--streams") == 0) {
      streams_only = true;
    } else if (std::strcmp(arguments[i], "--debrief") == 0) {
      debrief_only = true;
    } else {
      flags.push_back(arguments[i]);
    }
  }
  int flag_count = static_cast<int>(flags.size());
  benchmark::Initialize(&flag_count, flags.data());
  if (benchmark::ReportUnrecognizedArguments(flag_count, flags.data())) return 2;

  const bool all = !questions_only && !streams_only && !debrief_only;
  if (all) {
    spoor::bench::register_commit();
    spoor::bench::register_walk();
    spoor::bench::register_compile();
    spoor::bench::register_fold();
  }
  if (all || streams_only) {
    spoor::bench::register_stream();
    spoor::bench::register_record();
    spoor::bench::register_redact();
    spoor::bench::register_check();
  }
  Collector collector;
  collector.is_quiet = as_json;
  if (!questions_only && !debrief_only) benchmark::RunSpecifiedBenchmarks(&collector);

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
    spoor::bench::measure_size(rows);
  }
  if (all || streams_only) {
    spoor::bench::rows_of_stream(times, rows);
    spoor::bench::rows_of_record(times, rows);
    spoor::bench::rows_of_redact(times, rows);
    spoor::bench::rows_of_check(times, rows);
  }
  if (all || questions_only) spoor::bench::measure_questions(rows);
  if (all || debrief_only) spoor::bench::measure_debrief(rows);
  as_json ? spoor::bench::print_json(rows) : spoor::bench::print_table(rows);
  return 0;
}
