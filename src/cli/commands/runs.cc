#include <array>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/debrief_source.h"
#include "cli/settings/prices.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "report/debrief/graph_source.h"
#include "report/debrief/phrases.h"
#include "report/debrief/views.h"
#include "report/phrases.h"
#include "trace/totals_json.h"

namespace spoor::cli {
namespace {

using agent::RunName;
using report::debrief::Debrief;

constexpr std::array kOptions = {
    Option{"--limit", "N", "at most N runs (default: 20 on a terminal)", 'n', Takes::number},
    kJson,
    kStream,
};

constexpr std::array kExamples = {
    Example{"spoor runs", "the newest runs"},
    Example{"spoor runs --json --stream | head -1", "the newest, for a program"},
};

constexpr std::int64_t kShown = 20;
constexpr std::size_t kDigits = 8;  // The shown length of a caller's id.

Result<Debrief> summary_of(Workspace& workspace, const RunName& run, const llm::PriceList& prices) {
  return report::debrief::debrief_of(workspace.repository(), run,
                                     {.most = 1, .summary = true, .prices = &prices});
}

Result<void> print_json(Session& session, Workspace& workspace, const std::vector<RunName>& runs,
                        const llm::PriceList& prices, bool as_stream) {
  JsonWriter document;
  if (!as_stream) document.object().list("runs");
  for (const RunName& run : runs) {
    const Debrief debrief = TRY(summary_of(workspace, run, prices));
    JsonWriter line(true);
    JsonWriter& json = as_stream ? line : document;
    json.object().member("run", run.id).member("goal", debrief.goal);
    json.member("status", status_of(debrief)).member("began", run.began);
    json.member_or_null("planner", debrief.planner).member_or_null("session", debrief.session);
    json.member_or_null("model", debrief.model);
    json.member_or_null("caller_run", run.caller).member_or_null("agent", run.agent);
    json.member("steps", debrief.steps).member("answers", debrief.answers);
    json.member("tokens", debrief.cost.tokens()).key("cost_usd");
    debrief.cost.money ? json.json(llm::dollars(*debrief.cost.money)) : json.null();
    json.member("elapsed_ms", debrief.elapsed_ms).member("commits", debrief.commits);
    json.member("root", run.root).member("head", run.head).key("totals");
    write_value(json, trace::to_json(*debrief.totals));
    json.end();
    if (as_stream) session.out().verbatim(line.take());
    if (session.out().is_closed()) return {};
  }
  if (!as_stream) session.out().verbatim(document.end().end().take());
  return {};
}

void print_line(Session& session, Workspace& workspace, const RunName& run,
                const Debrief& debrief) {
  Output& out = session.out();
  const Timestamp now = session.clock().now();
  const std::string id = workspace.short_id(run.root);
  print_id(out, workspace, run.root, id);
  std::string line = "  ";
  if (run.began) line += shown_time(out, *run.began, now) + "  ";
  const std::string status = status_of(debrief);
  const bool is_success = status == "goal_achieved";  // The word in reports and debriefs.
  line += padded(is_success ? "success" : visible_line(status), 13) + "  ";
  line += padded(counted(static_cast<std::uint64_t>(debrief.steps), "step"), 8);
  if (debrief.totals) {
    const std::string cost =
        report::money_of(debrief.totals->cost.money, report::is_estimated(debrief.totals->cost));
    if (!cost.empty()) line += "  " + cost;
    const std::string unsettled = trace::unsettled_phrase(*debrief.totals);
    if (!unsettled.empty()) line += "  " + unsettled;
  }
  line += "  ";
  if (!run.caller.empty()) {
    line += fmt::format("({} of {}) ", run.agent.empty() ? "an agent" : visible_line(run.agent),
                        visible_line(run.caller.substr(0, kDigits)));
  }
  std::string goal = visible_line(debrief.goal);
  const int left = out.width() - display_width(line) - static_cast<int>(id.size());
  if (out.is_tty()) goal = truncated(goal, std::max(left, 8));
  out.print(line).print(Style::strong, goal).newline();
}

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  std::optional<Error> unreadable;
  std::vector<RunName> runs = TRY(agent::list_readable_runs(workspace.repository(), unreadable));
  const bool is_cut = arguments.has("--limit") || session.out().is_tty();
  const auto limit = static_cast<std::size_t>(arguments.number("--limit", kShown));
  if (is_cut && runs.size() > limit) runs.resize(limit);
  const llm::PriceList prices(TRY(read_prices(session.environment())));
  if (arguments.has("--json")) {
    TRY(print_json(session, workspace, runs, prices, arguments.has("--stream")));
  } else if (arguments.has("--stream")) {
    return session.usage_error("'--stream' needs '--json'");
  } else {
    if (runs.empty() && !unreadable) session.err().print("no runs yet\n");
    for (const RunName& found : runs) {
      print_line(session, workspace, found, TRY(summary_of(workspace, found, prices)));
      if (session.out().is_closed()) break;
    }
  }
  if (unreadable) return *unreadable;
  return {};
}

}  // namespace

extern const Command kRuns{
    .name = "runs",
    .summary = "List the runs of agents, newest first",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "Prints one line per run: its id, when it began, how it ended, its steps, cost and\n"
        "goal. '(rev of 41daeb83)' marks the run of an agent that another run called.\n"
        "'unfinished' is a run whose end is not recorded: it is running, or its process has\n"
        "died; 'waiting' is one that waits for a person. A request without a recorded answer\n"
        "or failure is 'begun and never settled': its process was killed, or it is under way.",
    .examples = kExamples,
};

}  // namespace spoor::cli
