#include "api/commands/sessions.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "api/turns/follow.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/amounts.h"
#include "cli/views/listing.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "llm/models/name_pattern.h"

namespace spoor::cli {

using api::Follow;

namespace {

constexpr std::string_view kIndent = "      ";  // As wide as the column of numbers.

// Prints two lines per session: number and title; then time, agent, project, turns, model, tokens
// and cost.
class SessionView {
 public:
  SessionView(Session& session, const api::SessionsQuery& query)
      : session_(session), out_(session.out()), is_filtered_(is_filtered(query)) {}

  void row(const api::SessionRow& row) {
    any_ = true;
    const std::string number = fmt::format("{:>4}  ", row.number);
    const std::string mark = row.outcome == "finished" ? "" : "  " + row.outcome;
    std::string title = visible_line(row.title.empty() ? row.session : row.title);
    if (out_.is_tty()) {
      const int room = out_.width() - display_width(number) - display_width(mark);
      title = truncated(title, std::max(room, 8));
    }
    out_.print(Style::commit, number).print(Style::strong, title);
    out_.print(row.outcome == "failed" ? Style::error : Style::warning, mark).newline();
    out_.print(kIndent).print(Style::muted, details(row)).newline();
  }

  Result<void> end() {
    if (any_) return {};
    session_.err().print(is_filtered_ ? "no session matches\n" : "no sessions yet\n");
    if (!is_filtered_) {
      session_.err().print(Style::hint, "hint:").print(" 'spoor import' reads those of agents\n");
    }
    return {};
  }

 private:
  static bool is_filtered(const api::SessionsQuery& query) {
    return query.since || !query.project.empty() || !query.agent.empty() || !query.model.empty() ||
           query.failed || query.limit;
  }

  std::string details(const api::SessionRow& row) const {
    const std::uint64_t tokens =
        row.input_tokens + row.cache_read_tokens + row.cache_write_tokens + row.output_tokens;
    std::vector<std::string> parts;
    if (row.ended) parts.push_back(shown_time(out_, *row.ended, session_.clock().now()));
    parts.push_back(row.agent);
    parts.push_back(std::filesystem::path(row.project).filename().string());
    parts.push_back(counted(row.turns, "turn"));
    if (!row.models.empty()) parts.emplace_back(llm::undated(row.models.front()));
    if (row.models.size() > 1) parts.back() += fmt::format(" +{}", row.models.size() - 1);
    if (tokens > 0) parts.push_back(short_number(tokens) + " tok");
    if (row.cost_usd) parts.push_back(short_cost(*row.cost_usd, row.is_complete));
    if (row.branches.size() > 1)
      parts.push_back(counted(row.branches.size(), "branch", "branches"));
    std::string text;
    for (const std::string& part : parts) {
      if (!part.empty()) text += (text.empty() ? "" : "  ") + visible_line(part);
    }
    return out_.is_tty() ? truncated(text, out_.width() - display_width(kIndent)) : text;
  }

  Session& session_;
  Output& out_;
  bool is_filtered_;
  bool any_ = false;
};

}  // namespace

namespace {

// Prints each session again whose branches have moved, until Ctrl-C.
Result<void> follow_sessions(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  api::Context context = TRY(session.context());
  const auto query = TRY(api::read_query<api::SessionsQuery>(context, arguments));
  Follow follow = TRY(Follow::begin(workspace, {}));
  SessionView view(session, query);
  while (true) {
    const auto moved = TRY(follow.wait([&] { return session.out().is_closed(); }));
    if (moved.empty()) return {};
    for (const api::Session& each : TRY(api::list_sessions(context))) {
      const bool has_moved = std::ranges::any_of(each.lines, [&](const api::SessionLine& line) {
        return std::ranges::find(moved, line.branch, &Follow::Moved::branch) != moved.end();
      });
      if (has_moved && api::matches(query, each)) view.row(api::row_of(each));
    }
    session.out().flush();
  }
}

Result<void> run(Session& session, const Arguments& arguments) {
  if (arguments.has("--follow")) return follow_sessions(session, arguments);
  return run_listing<api::kSessions, SessionView>(session, arguments);
}

Command sessions_command() {
  static std::vector<Option> options;
  Command command = listing_command<api::kSessions, SessionView>();
  options.assign(command.options.begin(), command.options.end());
  options.push_back({"--follow", "", "print sessions as turns are written to them", 'f'});
  command.options = options;
  command.run = run;
  return command;
}

}  // namespace

extern const Command kSessions = sessions_command();

}  // namespace spoor::cli
