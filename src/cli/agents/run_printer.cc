#include "cli/agents/run_printer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/times.h"
#include "compile/turn.h"

namespace spoor::cli {

using api::JsonWriter;
using store::Oid;

namespace {

using agent::PlanResult;
using agent::RunEvent;
using agent::Stopped;

constexpr std::size_t kShort = 8;  // Digits of a run's id.
constexpr int kArgument = 48;      // Columns of a call's arguments.
constexpr int kObservation = 72;   // Columns of a call's result.
constexpr int kLeast = 16;         // Columns of it at a narrow terminal.
constexpr std::size_t kTool = 40;  // Columns of a tool's name, which may be a model's invention.
constexpr std::size_t kWaiting = 400;  // Columns of a call to be approved.

void write_best(JsonWriter& json, const std::optional<agent::Best>& best) {
  json.key("best");
  if (!best) {
    json.null();
    return;
  }
  json.object().member("text", best->text).member("verified", name_of(best->verified));
  json.member("how", best->how).member("step", best->step).member("commit", best->commit).end();
}

// `best: 12 of 12 tests pass (run_command in step 4, exit code 0)`
void print_best(Output& err, const agent::Best& best) {
  const std::string text = compile::preview(best.text, kObservation);
  err.print(Style::strong, "best").print(": ").print(text.empty() ? "(nothing)" : text);
  err.print(Style::muted, fmt::format(" ({})", best.how)).newline();
}

// Returns what is before a line about a called agent, `    rev: `; else empty.
std::string whose(const RunEvent& event) {
  return event.agent.empty() ? std::string() : fmt::format("    {}: ", event.agent);
}

}  // namespace

std::string write_result(const PlanResult& result, bool one_line) {
  JsonWriter json(one_line);
  json.object().member("run", result.run).member("strategy", result.planner);
  json.member("stopped", name_of(result.stopped));
  json.member("answer", result.answer).member("error", result.error);
  write_best(json, result.best);
  json.member_or_null("waits_for", result.waits_for);
  json.member("turns", result.turns).member("by", result.by);
  json.list("steps");
  for (const agent::PlanStep& step : result.steps) {
    json.object().member("thought", step.thought).member("action", step.action);
    json.key("action_input").json(step.action_input);
    json.key("observation");
    if (step.observation) {
      json.json(*step.observation);
    } else {
      json.null();
    }
    json.member("is_error", step.is_error).member("commit", step.commit).end();
  }
  json.end().list("critiques");
  for (const agent::Critique& critique : result.critiques) {
    json.object().member("verdict", critique.accepts ? "accept" : "retry");
    json.member("critique", critique.critique).member("commit", critique.commit).end();
  }
  json.end().list("plans");
  for (const Oid& plan : result.plans) json.value(plan);
  json.end().list("warnings");
  for (const std::string& warning : result.warnings) json.value(warning);
  json.end().key("spent").object().member("calls", result.spent.calls);
  json.member("tokens", result.spent.tokens());
  json.key("cost_usd").json(dollars(result.spent.cost));
  json.member("is_cost_exact", result.spent.is_cost_exact()).end();
  return json.end().take();
}

std::string took(const PlanResult& result) {
  std::string text = counted(static_cast<std::uint64_t>(result.turns), "step");
  if (result.spent.tokens() > 0) text += fmt::format(", {} tokens", grouped(result.spent.tokens()));
  if (result.spent.cost > llm::Money{}) {
    text += fmt::format(", {}${}", result.spent.is_cost_exact() ? "" : "at least ",
                        dollars(result.spent.cost));
  }
  return text;
}

RunPrinter::RunPrinter(Session& session) : session_(session) {}

void RunPrinter::wait_for(std::string label) {
  waiting_.reset();
  waiting_.emplace(session_.terminal(), std::move(label));
}

void RunPrinter::finish() { waiting_.reset(); }

void RunPrinter::take(const RunEvent& event) {
  using Kind = RunEvent::Kind;
  Output& err = session_.err();
  switch (event.kind) {
    case Kind::started:
      finish();
      err.print(Style::muted, fmt::format("{}run {}", whose(event), event.run.substr(0, kShort)));
      err.newline().flush();
      return;
    case Kind::asking:
      received_ = 0;
      return wait_for(fmt::format("{}step {}: asking", whose(event), event.step));
    case Kind::said:
    case Kind::thought:
      received_ += event.text.size();
      if (waiting_) {
        const char* const what = event.kind == Kind::said ? "bytes" : "bytes of reasoning";
        waiting_->note(fmt::format("{} {}", grouped(received_), what));
      }
      return;
    case Kind::waiting:
    case Kind::warning:
      finish();
      err.print(Style::warning, event.kind == Kind::waiting ? "waiting" : "warning");
      err.print(": ").print(event.agent.empty() ? "" : fmt::format("{}: ", event.agent));
      err.print(event.text).newline().flush();
      return;
    case Kind::calling:
      return wait_for(fmt::format("{}step {}: {}", whose(event), event.step,
                                  compile::preview(event.tool, kTool)));
    case Kind::printing:
      return show_output(event.text);
    case Kind::observed:
      return print_call(event);
    case Kind::ended:
      return finish();
  }
}

// Shows the last line that a running tool has printed.
void RunPrinter::show_output(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::string_view line = text.substr(text.rfind('\n') + 1);
  if (waiting_) waiting_->note(compile::preview(line, kObservation));
}

// `  2 read_file {"path":"add.h"} → int add(int a, int b) {…`; of an agent: `    rev:   2 read_file
// …`
void RunPrinter::print_call(const RunEvent& event) {
  finish();
  Output& err = session_.err();
  const std::string step = fmt::format("{}{:>3} ", whose(event), event.step);
  const std::string tool = compile::preview(event.tool, kTool);
  const std::string_view sign = event.is_error ? " → error: " : " → ";
  const int end = display_width(sign) + (event.is_recorded ? 14 : 3);
  // The columns that are left behind `before`: at a terminal all of it is one line.
  const auto left = [&](const std::string& before, int most) {
    if (!err.is_tty()) return static_cast<std::size_t>(most);
    const int columns = err.width() - display_width(visible_line(before)) - end;
    return static_cast<std::size_t>(std::clamp(columns, kLeast, most));
  };
  const std::size_t room_for_both = left(step + tool, kArgument + kLeast + 1);
  std::string arguments =
      compile::preview(event.arguments, room_for_both - std::min(room_for_both / 2, kLeast + 1UL));
  if (arguments == "{}") arguments.clear();
  if (!arguments.empty()) arguments.insert(0, " ");
  err.print(Style::muted, step).print(Style::tool, tool).print(Style::muted, arguments);
  err.print(" → ");
  if (event.is_error) err.print(Style::error, "error: ");
  const std::size_t room = left(step + tool + arguments, kObservation);
  const std::string gave = compile::preview(event.text, room);
  err.print(gave.empty() ? "(nothing)" : gave);
  if (event.is_recorded) err.print(Style::muted, " (recorded)");
  err.newline().flush();
}

Result<void> print_result(Session& session, const PlanResult& result, bool as_json) {
  Output& err = session.err();
  if (as_json) {
    session.out().verbatim(write_result(result));
    return error_of(result);
  }
  const bool is_answer = result.stopped != Stopped::interrupted &&
                         result.stopped != Stopped::error && result.stopped != Stopped::refused;
  if (result.answer && is_answer) session.out().print(*result.answer).newline().flush();
  if (result.best) print_best(err, *result.best);
  err.print(Style::strong, name_of(result.stopped));
  err.print(Style::muted, fmt::format(", {} ({})", took(result),
                                      session.typed("debrief " + result.run.substr(0, kShort))));
  err.newline().flush();
  return error_of(result);
}

Result<void> error_of(const PlanResult& result) {
  const std::string id = result.run.substr(0, kShort);
  switch (result.stopped) {
    case Stopped::goal_achieved:
      return {};
    case Stopped::interrupted:
      if (!result.waits_for.empty()) {
        return denied(fmt::format("'{}' waits for approval: {}", result.waits_for,
                                  compile::preview(result.waits_with, kWaiting)),
                      fmt::format("run 'spoor resume {} --approve' or '--deny'", id));
      }
      return interrupted("interrupted: finished steps are kept");
    case Stopped::error: {
      const char* const how = result.by == "max_replans" ? " with a higher --max-replans" : "";
      return unavailable(result.error.value_or("the run failed"),
                         fmt::format("run 'spoor resume {}'{}", id, how));
    }
    case Stopped::refused:
      return denied(
          result.error.value_or("the model declined"),
          fmt::format("ask again with 'spoor resume {}', or another model with --model", id));
    case Stopped::planner:
      return denied(fmt::format("the planner ended the run: {}", result.by),
                    fmt::format("run 'spoor resume {}'", id));
    case Stopped::max_steps:
    case Stopped::max_cost:
    case Stopped::max_tokens:
    case Stopped::max_wall_time:
      break;
  }
  return denied(fmt::format("the run stopped at {}", name_of(result.stopped)),
                fmt::format("run 'spoor resume {}' with a higher limit", id));
}

}  // namespace spoor::cli
