// spoor_bench [--json] [--small] [--agent | --audit | --capacity | --debrief | --postgres | --proxy
// |
//              --questions | --receive | --servers | --sizes | --streams]
//             [Google Benchmark's own flags]
// --small measures a fiftieth of the work once: it shows that every measurement works.
// A measurement that fails is named, the others are printed, and the status is 1.
// Given a --benchmark_filter, it prints what Google Benchmark measures and no page of figures.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/figures.h"
#include "bench/workload.h"

namespace {

using spoor::bench::Row;
using spoor::bench::Times;

// What can be asked for alone.
constexpr std::array<std::string_view, 11> kParts = {
    "--agent",     "--audit",   "--capacity", "--debrief", "--postgres", "--proxy",
    "--questions", "--receive", "--servers",  "--sizes",   "--streams"};

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

// Runs measurements, and reports those that fail.
class Measuring {
 public:
  template <class Measure>
  void run(const char* name, Measure&& measure) {
    try {
      measure();
    } catch (const std::exception& failure) {
      fmt::print(stderr, "bench: {}: {}\n", name, failure.what());
      has_failed_ = true;
    }
  }
  bool has_failed() const { return has_failed_; }

 private:
  bool has_failed_ = false;
};

struct Request {
  bool as_json = false;
  bool is_filtered = false;
  std::string_view part;  // Of all the figures; empty for all.
  std::vector<char*> flags;
};

Request read_arguments(int count, char** arguments) {
  // Repeated in turn, so that a slow minute of the machine falls on both sides.
  static char repeat[] = "--benchmark_repetitions=5";
  static char interleave[] = "--benchmark_enable_random_interleaving=true";
  static char once[] = "--benchmark_repetitions=1";
  static char shortly[] = "--benchmark_min_time=0.001";
  Request request;
  bool is_small = false;
  std::vector<char*> own;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--json") {
      request.as_json = true;
    } else if (argument == "--small") {
      is_small = true;
    } else if (std::ranges::find(kParts, argument) != kParts.end()) {
      request.part = argument;
    } else {
      request.is_filtered |= argument.starts_with("--benchmark_filter") ||
                             argument.starts_with("--benchmark_list_tests");
      own.push_back(arguments[i]);
    }
  }
  if (is_small) spoor::bench::be_small();
  request.flags = {arguments[0], is_small ? once : repeat, is_small ? shortly : interleave};
  request.flags.insert(request.flags.end(), own.begin(), own.end());
  return request;
}

void register_benchmarks(bool all, bool streams, bool audit, bool receive) {
  if (all) {
    spoor::bench::register_commit();
    spoor::bench::register_walk();
    spoor::bench::register_compile();
    spoor::bench::register_fold();
  }
  if (streams) {
    spoor::bench::register_stream();
    spoor::bench::register_record();
  }
  if (audit) {
    spoor::bench::register_redact();
    spoor::bench::register_check();
  }
  if (receive) spoor::bench::register_receive();
}

}  // namespace

int main(int count, char** arguments) {
  Request request = read_arguments(count, arguments);
  int flag_count = static_cast<int>(request.flags.size());
  benchmark::Initialize(&flag_count, request.flags.data());
  if (benchmark::ReportUnrecognizedArguments(flag_count, request.flags.data())) return 2;

  // The program's keys and its list of trusted stores are not the user's.
  const spoor::bench::ScratchFolder home;
  ::setenv("XDG_DATA_HOME", home.path("data").c_str(), 1);
  ::setenv("XDG_CONFIG_HOME", home.path("config").c_str(), 1);

  const auto wants = [&](std::string_view name) {
    return request.part.empty() || request.part == name;
  };
  const bool all = request.part.empty();
  Measuring measuring;
  Collector collector;
  collector.is_quiet = request.as_json;
  measuring.run("benchmarks", [&] {
    register_benchmarks(all, wants("--streams"), wants("--audit"), wants("--receive"));
    if (wants("--streams") || wants("--audit") || wants("--receive")) {
      benchmark::RunSpecifiedBenchmarks(&collector);
    }
  });
  if (request.is_filtered) return measuring.has_failed() ? 1 : 0;

  const Times times = collector.medians();
  std::vector<Row> rows;
  const auto measured = [&](const char* name, auto measure) {
    const std::size_t before = rows.size();
    measuring.run(name, [&] { measure(rows); });
    for (std::size_t i = before; i < rows.size(); ++i) rows[i].part = name;
  };
  const auto timed = [&](const char* name, auto rows_of) {
    measured(name, [&](std::vector<Row>& all_rows) { rows_of(times, all_rows); });
  };
  using namespace spoor::bench;
  if (all) {
    timed("commit", rows_of_commit);
    measured("writes", measure_writes);
    measured("bulk", measure_bulk);
    timed("walk", rows_of_walk);
    timed("compile", rows_of_compile);
    timed("fold", rows_of_fold);
    measured("process", measure_process);
  }
  if (wants("--sizes")) measured("sizes", measure_size);
  if (wants("--streams")) {
    timed("streams", rows_of_stream);
    timed("record", rows_of_record);
  }
  if (wants("--audit")) {
    timed("redaction", rows_of_redact);
    timed("checks", rows_of_check);
  }
  if (wants("--receive")) {
    timed("telemetry", rows_of_receive);
    measured("hook", measure_hook);
  }
  if (wants("--questions")) measured("questions", measure_questions);
  if (wants("--debrief")) measured("debrief", measure_debrief);
  if (wants("--proxy")) measured("proxy", measure_proxy);
  if (wants("--postgres")) measured("postgres", measure_postgres);
  if (wants("--servers")) measured("servers", measure_servers);
  if (wants("--agent")) measured("agent", measure_agent);
  if (wants("--capacity")) measured("capacity", measure_capacity);
  request.as_json ? print_json(rows) : print_table(rows);
  return measuring.has_failed() ? 1 : 0;
}
