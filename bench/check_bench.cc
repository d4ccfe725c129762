// What checks add to the call of a tool: a gate with each built-in check, and the records of them.
#include <benchmark/benchmark.h>

#include "base/json/writer.h"
#include "bench/figures.h"
#include "bench/workload.h"
#include "guard/check/evaluations.h"
#include "guard/check/gate.h"

namespace spoor::bench {
namespace {

namespace check = guard::check;

constexpr std::size_t kCalls = 1'000;

constexpr const char* kRules = R"(
[[constraint]]
id = "paths"
check = "scope"
only = ["src/", "tests/"]
never = ["@ci", "@infra"]
[[constraint]]
id = "safe"
check = "safety"
hosts = ["example.com"]
[[constraint]]
id = "tree"
check = "repo"
clean_tree = true
tests = true
[[constraint]]
id = "work"
check = "quality"
max_retries = 2
)";

struct Call {
  agent::Tool tool;
  std::string arguments;
  agent::ToolResult result;
};

// As agents call: a third of them edits with the text of a session, a third commands, a third
// looks.
const std::vector<Call>& calls() {
  static const std::vector<Call> made = [] {
    const std::vector<std::string> texts = make_texts(kCalls, 33);
    std::vector<Call> all(kCalls);
    for (std::size_t i = 0; i < kCalls; ++i) {
      json::Object arguments;
      Call& call = all[i];
      if (i % 3 == 0) {
        call.tool.id = "write_file";
        arguments.add_string("path", "src/folder/file" + std::to_string(i) + ".cc");
        arguments.add_string("content", texts[i]);
      } else if (i % 3 == 1) {
        call.tool.id = "run_command";
        const std::string script = "cd src && make -j2 check 2>&1 | tail -n " + std::to_string(i) +
                                   " && git status --short";
        arguments.add_json("argv", json::write_strings({"bash", "-lc", script}));
      } else {
        call.tool.id = "read_file";
        arguments.add_string("path", "src/folder/file" + std::to_string(i) + ".cc");
      }
      call.arguments = arguments.write();
      call.result = agent::gave(texts[i]);
    }
    return all;
  }();
  return made;
}

std::unique_ptr<check::CheckGate> make_gate() {
  const auto rules = must(check::read_constraints(kRules, "bench"));
  return std::make_unique<check::CheckGate>(
      must(check::Checks::make(rules, {.root = "/srv/project"})));
}

void gated_calls(benchmark::State& state) {
  const auto gate = make_gate();
  for (auto _ : state) {
    for (const Call& call : calls()) {
      must(gate->before(call.tool, call.arguments).allows, "a call that is in order was refused");
      gate->after(call.tool.id, call.arguments, call.result);
    }
  }
}

// What each call costs anyway: its observation is a commit.
void committed_calls(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    const auto repository = Repository::in_memory();
    Branch branch = repository->branch("main");
    must(branch.user("go"));
    state.ResumeTiming();
    for (const Call& call : calls()) must(branch.tool(call.result.text, "c", call.tool.id));
  }
}

void recorded_judgements(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    const auto repository = Repository::in_memory();
    const auto commit = must(repository->branch("main").user("go"));
    std::vector<check::Judgement> judgements(kCalls);
    for (check::Judgement& each : judgements) {
      each.commit = commit;
      each.results.resize(4);
      for (auto& result : each.results) result.check = "paths";
    }
    state.ResumeTiming();
    must(check::record(*repository, judgements, "check").has_value(), "no notes");
  }
}

}  // namespace

void register_check() {
  benchmark::RegisterBenchmark("check/gate", gated_calls);
  benchmark::RegisterBenchmark("check/commits", committed_calls);
  benchmark::RegisterBenchmark("check/notes", recorded_judgements);
}

void rows_of_check(const Times& times, std::vector<Row>& rows) {
  const double gate = times.at("check/gate") / kCalls / 1e3;
  const double commit = times.at("check/commits") / kCalls / 1e3;
  const double note = times.at("check/notes") / kCalls / 1e3;
  const double process =
      1e6 * median({run_seconds({"true"}), run_seconds({"true"}), run_seconds({"true"})});
  rows.push_back({"a call, looked at by four checks", gate, "µs", commit, gate / commit, 0.5,
                  Row::Want::at_most, "floor: the commit of its observation, in memory"});
  rows.push_back({"the same beside a command", gate, "µs", process, gate / process, std::nullopt,
                  Row::Want::at_most, "floor: a process that does nothing"});
  rows.push_back({"a judgement, as a note", note, "µs", commit, note / commit, std::nullopt,
                  Row::Want::at_most, "floor: as above; all notes in one transaction"});
}

}  // namespace spoor::bench
