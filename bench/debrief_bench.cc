// The debrief of a run of 100,000 calls, each with its reason and its result, out of the graph;
// beside it the same fold over the same facts as plain JSON Lines, a trace of 200,000 events.
#include <malloc.h>

#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "agent/call_facts.h"
#include "base/json/writer.h"
#include "bench/figures.h"
#include "bench/workload.h"
#include "report/debrief/graph_source.h"
#include "report/debrief/trace_reader.h"
#include "report/event/projection.h"
#include "store/reader.h"
#include "trace/event_json.h"

namespace spoor::bench {
namespace {

using namespace report::debrief;

constexpr int kBatch = 2'000;

std::size_t decisions() { return sized(100'000); }

std::string why(int step) {
  return fmt::format("step {} needs what step {} left open", step, step - 1);
}
std::string rationale(int step) {
  return fmt::format(R"({{"confidence":0.8,"refs":["obs:{}"],"why":"{}"}})", step - 1, why(step));
}
std::string tool(int step) { return step % 3 == 0 ? "edit_file" : "read_file"; }

// The shape that docs/agents.md gives a run with native calls.
class Writer {
 public:
  explicit Writer(const std::string& path) : repository_(must(Repository::create(path))) {
    Turn root{.type = Type::decision, .text = "mend it all"};
    root.facts.set_text("decision", "run-started");
    root.facts.set_text("planner", "react");
    append(root);
    id_ = last_.hex(16);
    for (int step = 1; step <= static_cast<int>(decisions()); ++step) {
      write_step(step);
      if (step % kBatch == 0) flush();
    }
    Turn end{.type = Type::decision, .text = "all of it is mended"};
    end.facts.set_text("decision", "run-ended");
    end.facts.set_text("stopped", "goal_achieved");
    end.facts.set_text("run", id_);
    append(end);
    flush();
  }

 private:
  void write_step(int step) {
    Turn answer{.type = Type::assistant, .text = fmt::format("On to step {}.", step)};
    const std::string call = fmt::format("call_{}", step);
    answer.fields.tool_calls = {
        {call, tool(step), fmt::format(R"({{"path":"src/part_{}.cc"}})", step)}};
    answer.fields.rationale = fmt::format(R"({{"1":{}}})", rationale(step));
    agent::set_call_facts(answer.facts, *answer.fields.tool_calls,
                          agent::read_rationales(answer.fields.rationale));
    answer.facts.set_text("purpose", "agent");
    answer.facts.set_text("provider", "bench");
    answer.facts.set_text("model", "m-1");
    answer.facts.set_json("tokens", R"({"input":900,"output":60})");
    answer.facts.set_json("cost_usd", "0.0004");
    set_place(answer, step);
    append(answer);
    Turn result{.type = Type::tool,
                .text = fmt::format("{} lines of part {}\n...", step % 97, step)};
    result.fields.call_id = call;
    result.fields.name = tool(step);
    result.fields.is_error = step % 11 == 0;
    result.facts.set_integer("call", 1);
    result.facts.set_text("tool", tool(step));
    result.facts.set_text("outcome", result.fields.is_error ? "error" : "ok");
    set_place(result, step);
    append(result);
  }

  void set_place(Turn& turn, int step) const {
    turn.facts.set_text("run", id_);
    turn.facts.set_integer("step", step);
  }

  void append(const Turn& turn) {
    if (!draft_) draft_ = repository_->draft();
    last_ = must(draft_->append("refs/heads/main",
                                graph::stamped(turn, "bench", repository_->clock().now())));
  }

  void flush() {
    must(draft_->move("refs/runs/" + id_ + "/head", last_));
    must(draft_->write("bench"));
    draft_.reset();
  }

  std::unique_ptr<Repository> repository_;
  std::unique_ptr<graph::Draft> draft_;
  std::string id_;
  Oid last_;
};

std::string make_trace() {
  std::string lines =
      R"({"kind":"run-started","runId":"r","iter":-1,"seq":0,"timestamp":1000,"task":"mend it all"})"
      "\n";
  for (int step = 1; step <= static_cast<int>(decisions()); ++step) {
    lines += fmt::format(
        R"({{"kind":"llm-exchange","runId":"r","iter":{0},"timestamp":{0},"response":{{"tokensIn":900,"tokensOut":60,"costUsd":0.0004}}}})"
        "\n"
        R"({{"kind":"tool-call-start","runId":"r","iter":{0},"timestamp":{0},"toolName":"{1}","rationale":{2}}})"
        "\n"
        R"({{"kind":"tool-call-end","runId":"r","iter":{0},"timestamp":{0},"toolName":"{1}","ok":{3},"result":"{4} lines of part {0}"}})"
        "\n",
        step, tool(step), rationale(step), step % 11 != 0, step % 97);
  }
  return lines +
         R"({"kind":"run-completed","runId":"r","iter":-1,"status":"success","totalTokens":1,"durationMs":1})"
         "\n";
}

// Milliseconds of processor time, the median of five.
double milliseconds_of(const std::function<void()>& work) {
  std::vector<double> times;
  for (int round = 0; round < 5; ++round) {
    const double start = processor_seconds();
    work();
    times.push_back((processor_seconds() - start) * 1e3);
  }
  return median(times);
}

// A line of /proc/self/status, in megabytes: VmRSS, VmHWM (proc(5)).
double megabytes_of(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == key + ":" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

// Memory in use now, from which the peak is counted anew.
double begin_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  return megabytes_of("VmRSS");
}

void must_be_whole(const Debrief& debrief) {
  must(debrief.calls == decisions() && debrief.explained == decisions(), "calls are lost");
  must(debrief.returned == decisions() && debrief.failed == decisions() / 11, "results are lost");
  must(debrief.verdict.has_value(), "the end is lost");
}

}  // namespace

void measure_debrief(std::vector<Row>& rows) {
  const ScratchFolder folder;
  const std::string store = folder.path("store");
  Writer{store};
  const std::string trace_path = folder.path("trace.jsonl");
  std::ofstream(trace_path, std::ios::binary) << make_trace();

  const double floor = milliseconds_of([&] {
    std::ifstream in(trace_path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    must_be_whole(debrief_of_trace(text));
  });
  const auto repository = must(Repository::open(store, {.read_only = true}));
  const RunName run = must(find_run(*repository, "latest"));
  // What no debrief can do without: each commit read, hashed and parsed.
  std::size_t commits = 0;
  const double walk = milliseconds_of([&] {
    commits = 0;
    const auto count_one = [&](const store::NamedCommit&) { return ++commits > 0; };
    must(repository->reader()
             .run(run.head, 4 * decisions(), count_one, store::Reader::Keep::nothing)
             .has_value(),
         "no commits");
  });
  must(commits == 2 * decisions() + 2, "commits are lost");
  // Decision events of the same run, as JSON: each text of it is read. It has no prompts.
  const agent::RunName named = must(agent::find_run(*repository, "latest"));
  std::size_t events = 0;
  std::size_t bytes = 0;
  const double before_events = begin_peak();
  const double projected = milliseconds_of([&] {
    repository->drop_caches();
    events = 0;
    must(report::project(*repository, named, named.head, {},
                         [&](trace::DecisionEvent&& event) -> Result<void> {
                           ++events;
                           bytes += trace::to_json(event).size();
                           return {};
                         })
             .has_value(),
         "no events");
  });
  const double added_by_events = megabytes_of("VmHWM") - before_events;
  must(events == 2 * decisions() + 1 && bytes > 0, "events are lost");
  const double before = begin_peak();
  const double cold = milliseconds_of([&] {
    repository->drop_caches();
    must_be_whole(must(debrief_of(*repository, run)));
  });
  const double added = megabytes_of("VmHWM") - before;
  const double warm = milliseconds_of([&] { must_be_whole(must(debrief_of(*repository, run))); });
  const double process = run_processor_seconds({SPOOR_PROGRAM, "--store", store, "debrief"}) * 1e3;

  const char* note = "floor: the same fold over the same facts as JSON Lines";
  const auto add = [&](const char* name, double value, std::optional<double> target) {
    rows.push_back({name, value, "ms", floor, value / floor, target, Row::Want::at_most, note});
  };
  add("the bare walk: 200,002 commits read, hashed, parsed", walk, std::nullopt);
  add("100,000 calls counted from their commits, cold", cold, 0.5);
  add("  again in the same process", warm, std::nullopt);
  add("  spoor debrief, whole process", process, std::nullopt);
  const auto per_second = [](std::size_t count, double ms) {
    return static_cast<double>(count) / ms * 1e3;
  };
  const double events_rate = per_second(events, projected);
  const double walk_rate = per_second(commits, walk);
  rows.push_back({"decision events of the run, as JSON", events_rate, "/s", walk_rate,
                  events_rate / walk_rate, 0.3, Row::Want::at_least,
                  "floor: commits a second of the bare walk"});
  rows.push_back({"  memory they took at most", added_by_events, "MB", 0, added_by_events, 200.0,
                  Row::Want::at_most, "caches of 128 MB included"});
  rows.push_back({"  memory it took at most", added, "MB", 0, added, 200.0, Row::Want::at_most,
                  "caches of 128 MB included"});
  must_be_sound(*repository);
}

}  // namespace spoor::bench
