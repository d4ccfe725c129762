#include "cli/views/event_lines.h"

#include <fmt/format.h>

#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "trace/content.h"
#include "trace/event_json.h"

namespace spoor::cli {
namespace {

using trace::AgentAction;
using trace::Artifact;
using trace::Content;
using trace::DecisionEvent;

std::string line_of(const Content& content) { return visible_line(shown(content)); }

Style style_of_action(AgentAction::Type type) {
  switch (type) {
    case AgentAction::Type::edit:
      return Style::edited;
    case AgentAction::Type::blocked:
      return Style::warning;
    case AgentAction::Type::override_:
      return Style::pinned;
    case AgentAction::Type::open_pr:
    case AgentAction::Type::merge:
    case AgentAction::Type::deploy:
      return Style::strong;
    case AgentAction::Type::plan:
    case AgentAction::Type::message:
    case AgentAction::Type::no_op:
      return Style::assistant;
    default:
      return Style::tool;
  }
}

// Returns the outcome: `+2 -1`, `exit 1`, `1,203 tok`.
std::string outcome_of(const DecisionEvent& event) {
  std::string outcome;
  const auto add = [&outcome](const std::string& more) {
    outcome += (outcome.empty() ? "" : ", ") + more;
  };
  for (const Artifact& artifact : event.agent_action.artifacts) {
    if (artifact.lines_added || artifact.lines_removed) {
      add(fmt::format("+{} -{}", artifact.lines_added.value_or(0),
                      artifact.lines_removed.value_or(0)));
    }
    if (artifact.exit_code) add(fmt::format("exit {}", *artifact.exit_code));
    const std::string summary = line_of(artifact.summary);
    const bool counts =
        artifact.type == Artifact::Type::test_run && summary.find(" passed, ") != std::string::npos;
    if (counts) add(summary);
  }
  const auto& results = event.agent_action.tool_results;
  if (outcome.empty() && !results.empty()) add(results.front().is_error ? "error" : "ok");
  if (event.model_output) {
    const auto& output = *event.model_output;
    if (output.input_tokens || output.output_tokens) {
      add(grouped(static_cast<std::uint64_t>(output.input_tokens.value_or(0) +
                                             output.output_tokens.value_or(0))) +
          " tok");
    }
  }
  return outcome;
}

}  // namespace

void print_event(Session& session, const Workspace& workspace, const DecisionEvent& event) {
  Output& out = session.out();
  const std::string id = workspace.short_id(event.commit);
  print_id(out, workspace, event.commit, id);
  const auto time = parse_stored_time(event.timestamp);
  const std::string when = time ? shown_time(out, *time, session.clock().now()) : "unknown";
  const bool is_end = event.kind == trace::EventKind::end;  // An end has its answer's type.
  const std::string type = padded(is_end ? "end" : trace::name_of(event.agent_action.type), 9);
  const std::string indent = event.kind == trace::EventKind::action ? "  " : "";
  const std::string outcome = outcome_of(event);
  std::string what = indent + line_of(event.agent_action.summary);
  if (out.is_tty()) {
    const int left = out.width() - static_cast<int>(id.size() + type.size()) - display_width(when) -
                     display_width(outcome) - 10;
    what = truncated(what, std::max(left, 16));
  }
  out.print("  " + when + "  ")
      .print(style_of_action(event.agent_action.type), type)
      .print("  " + what);
  if (!outcome.empty()) out.print(Style::muted, "  (" + outcome + ")");
  out.newline();
}

void print_event_json(Output& out, const DecisionEvent& event) {
  const std::string line = to_json(event);
  out.is_tty() ? out.print(line) : out.verbatim(line);
  out.newline();
}

}  // namespace spoor::cli
