#include "cli/views/request_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/amounts.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"

namespace spoor::cli {
namespace {

constexpr int kUsualWidth = 100;  // If the width of the output is unknown.
constexpr int kToolWidth = 11;

// Returns day and time in UTC, since times in a session are the session's own.
std::string time_of(const std::optional<Timestamp>& time) {
  return time ? time->text().substr(0, 10) + " " + time->text().substr(11, 8) : std::string();
}

}  // namespace

RequestView::RequestView(Session& session, const api::RequestsQuery& query)
    : session_(session), out_(session.out()), revision_(query.revision) {
  auto workspace = session.workspace();
  if (!workspace) return;
  workspace_ = workspace.value();
  auto decorations = Decorations::read(*workspace_);
  if (decorations) decorations_ = std::move(decorations).value();
}

int RequestView::room() const { return out_.is_tty() ? out_.width() : kUsualWidth; }

void RequestView::row(const api::RequestRow& row) {
  if (any_) out_.newline();
  any_ = true;
  print_request(row);
  for (const api::ActionRow& action : row.actions) print_action(action);
}

void RequestView::print_request(const api::RequestRow& row) {
  if (!row.commit) {
    out_.print(Style::muted, "before the first request").newline();
    return;
  }
  const ListedId id = listed_id(out_, *workspace_, *row.commit);
  print_id(out_, *workspace_, id);
  if (decorations_) print_names(out_, *decorations_, *row.commit);
  std::string head = "  " + time_of(row.time);
  if (row.cost_usd) head += "  " + short_cost(*row.cost_usd, row.is_complete);
  if (row.output_tokens > 0) head += "  " + short_number(row.output_tokens) + " tok";
  out_.print(Style::muted, head).newline();
  const auto lines = wrapped(row.text, room() - 2);
  constexpr std::size_t kMostLines = 3;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
    const bool is_cut = i + 1 == kMostLines && lines.size() > kMostLines;
    out_.print(Style::user, "> ").print(Style::strong, visible_line(lines[i]));
    out_.print(is_cut ? " …" : "").newline();
  }
}

void RequestView::print_action(const api::ActionRow& action) {
  if (action.kind == "call") return print_call(action);
  if (action.kind == "thinking") {
    return print_text(Style::reasoning, "\" ", action.text, action.commit);
  }
  if (action.kind == "failure") return print_text(Style::error, "! ", action.text, action.commit);
  if (action.kind == "compaction") {
    return print_text(Style::muted, "= summary: ", action.text, action.commit);
  }
  if (action.kind == "note") return print_text(Style::muted, "  ", action.text, action.commit);
  print_text(Style::plain, "  ", action.text, action.commit);
}

// Prints `mark text`, cut to one line, with the id at its end.
void RequestView::print_text(Style style, std::string_view mark, std::string_view text,
                             const Oid& commit) {
  const ListedId id = listed_id(out_, *workspace_, commit);
  const int names = decorations_ ? width_of_names(*decorations_, commit) : 0;
  const int left = room() - 4 - display_width(mark) - id.width() - names;
  const std::string line = truncated(visible_line(text), std::max(left, 12));
  out_.print("  ").print(style, mark).print(style, padded(line, left)).print("  ");
  print_id(out_, *workspace_, id);
  if (decorations_) print_names(out_, *decorations_, commit);
  out_.newline();
}

void RequestView::print_call(const api::ActionRow& action) {
  const ListedId id = listed_id(out_, *workspace_, action.commit);
  const std::string tool = padded(truncated(visible_line(action.tool), kToolWidth), kToolWidth);
  std::string lines;
  if (action.lines_added) lines += fmt::format(" +{}", *action.lines_added);
  if (action.lines_removed) lines += fmt::format(" -{}", *action.lines_removed);
  std::string outcome = action.outcome == "ok" ? "" : "  " + action.outcome;
  if (action.exit_code.value_or(0) != 0) outcome += fmt::format(" (exit {})", *action.exit_code);
  const std::string took =
      action.duration_ms ? fmt::format("{:>7}", short_duration(*action.duration_ms)) : "       ";
  const int names = decorations_ ? width_of_names(*decorations_, action.commit) : 0;
  const int left = room() - 8 - kToolWidth - id.width() - names - display_width(lines) -
                   display_width(outcome) - display_width(took);
  const std::string target =
      padded(shortened_target(visible_line(action.target), std::max(left, 12)), left);
  out_.print("    ").print(Style::tool, tool).print("  " + target);
  out_.print(Style::muted, lines).print(Style::error, outcome);
  out_.print(Style::muted, took).print("  ");
  print_id(out_, *workspace_, id);
  if (decorations_) print_names(out_, *decorations_, action.commit);
  out_.newline();
}

Result<void> RequestView::end() {
  if (!any_) session_.err().print("no requests yet\n");
  return any_ ? print_branches() : Result<void>();
}

// Prints forks and sub-agents of the session, which are on their own branches.
Result<void> RequestView::print_branches() {
  if (revision_.empty() || revision_ == "HEAD") {
    const api::Head head = TRY(workspace_->head());
    if (head.is_detached()) return {};
    revision_ = head.branch;
  }
  const api::Context context = TRY(session_.context());
  const auto found = api::find_session(context, revision_);
  if (!found) {
    const bool is_no_session = found.error().code == Error::Code::not_found;
    return is_no_session ? Result<void>() : found.error();
  }
  const std::vector<api::SessionLine>& lines = found.value().lines;
  auto shown = std::ranges::find(lines, revision_, &api::SessionLine::branch);
  if (shown == lines.end()) shown = lines.begin();
  std::string names;
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    if (line != shown) names += "  " + visible_line(line->branch);
  }
  if (names.empty()) return {};
  out_.newline().print(Style::muted, "other branches of this session:" + names).newline();
  return {};
}

std::string shortened_target(std::string_view target, int columns) {
  const bool is_path = target.find('/') != std::string_view::npos &&
                       target.find_first_of(" \t'\"{") == std::string_view::npos;
  if (!is_path || display_width(target) <= columns) return truncated(target, columns);
  std::string_view rest = target;
  while (display_width(rest) + 2 > columns) {
    const std::size_t slash = rest.find('/', 1);
    if (slash == std::string_view::npos) return truncated(target, columns);
    rest.remove_prefix(slash);
  }
  return "…" + std::string(rest);
}

}  // namespace spoor::cli
