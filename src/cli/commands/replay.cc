// replay: repeat a recorded run.
#include <array>

#include <fmt/format.h>

#include "agent/record/recording.h"
#include "agent/runs.h"
#include "api/json_writer.h"
#include "base/json/reader.h"
#include "cli/agents/run_flags.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/views/times.h"
#include "compile/turn.h"
#include "graph/unified_diff.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

using agent::record::Divergence;

constexpr Option kFromStep{
    "--from-step", "N", "keep the steps before N, and continue live from there", 0, Takes::number};
constexpr Option kLenient{"--lenient", "", "continue live from the first difference"};
constexpr Option kBranch{"--branch", "NAME", "the branch to continue on (default: replay/RUN-N)", 0,
                         Takes::branch};

constexpr std::array kOptions = {
    Option{"run", "RUN", "the run (default: latest)", 0, Takes::run, Count::optional},
    kFromStep,
    kLenient,
    kBranch,
    kModel,
    kFallback,
    kNoRationale,
    kMaxSteps,
    kMaxCost,
    kMaxTokens,
    kMaxTime,
    kMaxReplans,
    kMaxOuter,
    kJson,
};

constexpr std::size_t kLine = 160;  // Columns of a line of a difference.

// Writes each value of a JSON text on its own line, after its path, for a readable diff.
void flatten(const json::Value& value, const std::string& path, std::string& lines) {
  if (value.is_object()) {
    for (const json::Member member : value.members()) {
      flatten(member.value, path + '.' + member.key.text(), lines);
    }
  } else if (value.is_array()) {
    std::size_t i = 0;
    for (const json::Value element : value.elements()) {
      flatten(element, fmt::format("{}[{}]", path, i++), lines);
    }
  } else {
    lines += fmt::format("{}: {}\n", path.substr(path.empty() ? 0 : 1), value.raw());
  }
}

std::string readable(const std::string& text) {
  const auto document = json::parse(text);
  if (!document || !(document->root().is_object() || document->root().is_array())) return text;
  std::string lines;
  flatten(document->root(), "", lines);
  return lines;
}

void print(Output& out, const Divergence& divergence) {
  out.print(Style::strong, divergence.step > 0 ? fmt::format("step {}: ", divergence.step) : "");
  out.print(Style::strong, divergence.what + " differs").newline();
  const auto lines = graph::unified_diff(readable(divergence.recorded), readable(divergence.now));
  for (const graph::UnifiedLine& line : lines) {
    const Style style = line.kind == '-'   ? Style::removed
                        : line.kind == '+' ? Style::added
                        : line.kind == '@' ? Style::hunk
                                           : Style::plain;
    out.print(style, fmt::format("{}{}", line.kind, compile::preview(line.text, kLine))).newline();
  }
}

std::string json_of(const std::string& run, const agent::ReplayResult& replayed) {
  JsonWriter writer;
  writer.object().member("run", run).member("is_same", replayed.divergences.empty());
  writer.member("is_whole", replayed.is_whole).list("divergences");
  for (const Divergence& divergence : replayed.divergences) {
    writer.object().member("step", divergence.step).member("what", divergence.what);
    writer.member("recorded", divergence.recorded).member("now", divergence.now).end();
  }
  return writer.end().end().take();
}

Result<void> compare(Session& session, const std::string& run, const agent::ReplayResult& replayed,
                     bool as_json) {
  Output& out = session.out();
  const std::string id = run.substr(0, 8);
  if (as_json) {
    out.verbatim(json_of(run, replayed));
  } else {
    for (const Divergence& divergence : replayed.divergences) print(out, divergence);
    if (replayed.divergences.empty()) {
      out.print(fmt::format("run {}: {} replayed, no differences", id,
                            counted(static_cast<std::uint64_t>(replayed.result.turns), "step")));
      if (!replayed.is_whole) out.print("; it has not ended");
      out.newline();
    }
  }
  if (replayed.divergences.empty()) return {};
  return conflict(
      fmt::format("the run {} would proceed differently now", id),
      fmt::format("continue live from the first difference with 'spoor replay {} --lenient'", id));
}

// Returns the step of the first difference: the recorded steps before it can be reused.
std::int64_t first_step(const agent::ReplayResult& replayed, std::int64_t otherwise) {
  std::int64_t first = otherwise;
  for (const Divergence& divergence : replayed.divergences) {
    first = std::min(first, std::max<std::int64_t>(1, divergence.step));
  }
  return first;
}

Result<void> run_replay(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  graph::Repository& repository = workspace.repository();
  const std::string run = TRY(agent::find_run(repository, arguments.text("run", "latest"))).id;
  const auto header = TRY(agent::record::read_header(repository, run));
  const auto session_options = TRY(agent::session_options_of(header));
  std::int64_t step = arguments.number("--from-step", 0);
  if (!arguments.has("--from-step")) {
    agent::RunOptions options;
    const auto setup = TRY(open_recorded(session, run, arguments, options, Use::look));
    agent::Session recorded(repository, header.session, session_options);
    agent::record::AsRecorded as_recorded{.model = !arguments.has("--model")};
    for (const Option& limit :
         {kMaxSteps, kMaxCost, kMaxTokens, kMaxTime, kMaxReplans, kMaxOuter}) {
      if (arguments.has(limit.name)) as_recorded.limits = false;
    }
    const auto replayed =
        TRY(agent::replay(run, setup->candidate(), recorded, options, as_recorded));
    const bool goes_on = arguments.has("--lenient") && !replayed.divergences.empty();
    if (!goes_on) return compare(session, run, replayed, arguments.has("--json"));
    step = first_step(replayed, options.max_steps);
  }
  agent::RunOptions options;
  const auto setup = TRY(open_recorded(session, run, arguments, options, Use::live));
  const std::string name =
      arguments.text("--branch", fmt::format("replay/{}-{}", run.substr(0, 8), step));
  agent::Session live(repository, name, session_options);
  RunLock lock(workspace.files());
  TRY(lock.take_branch(name));
  return run_shown(session, *setup, lock, options, arguments.has("--json"), [&] {
    return agent::replay_from(run, step, setup->candidate(), live, options);
  });
}

constexpr std::array kExamples = {
    Example{"spoor replay", "check that the newest run still replays as recorded"},
    Example{"spoor replay 3f2a91c4 --from-step 4 --model openai/gpt-5",
            "steps 1 to 3 as recorded, then another model, on a new branch"},
};

}  // namespace

extern const Command kReplay{
    .name = "replay",
    .summary = "Replay a run with its recorded answers",
    .options = kOptions,
    .run = run_replay,
    .group = Group::read,
    .details =
        "Runs the planner over the recorded answers and results: no model is asked, no tool\n"
        "runs, nothing is written. Compares the system prompt, each request byte for byte,\n"
        "the reasons and decisions read from each answer, and the end. Prints the\n"
        "differences and exits with status 1 if there are any. With --from-step or\n"
        "--lenient it continues live, as a new run on a new branch.",
    .examples = kExamples,
};

}  // namespace spoor::cli
