#include "cli/tui/session_list.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "api/commands/sessions.h"
#include "api/turns/turn_view.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/tui/text.h"
#include "cli/tui/turn_list.h"
#include "cli/views/amounts.h"
#include "cli/views/times.h"

namespace spoor::cli::tui {
namespace {

// The newest part of a long session is enough next to a list.
constexpr const char* kNewest = "100";

constexpr std::array kSessionTabs = {
    Tab{"log"},
    Tab{"thinking"},
    Tab{"debrief"},
};
constexpr std::array kBranchTabs = {
    Tab{"log"},
    Tab{"thinking"},
};

// Returns `03-14 09:32`, with the year where there is room for it.
std::string when(const std::optional<Timestamp>& time, bool is_wide) {
  if (!time) return std::string(is_wide ? 16 : 11, ' ');
  std::string text = plain_time(*time).substr(0, 16);
  std::ranges::replace(text, 'T', ' ');
  return is_wide ? text : text.substr(5);
}

std::string title_of(const api::SessionRow& row) {
  return visible_line(row.title.empty() ? row.session : row.title);
}

std::string cell(std::string_view text, int columns) {
  return padded(truncated(visible_line(text), columns), columns);
}

}  // namespace

Result<std::unique_ptr<SessionList>> SessionList::read(Session& session) {
  std::unique_ptr<SessionList> list(new SessionList(session));
  TRY(list->refresh(0));
  return list;
}

std::string SessionList::title() const { return "sessions"; }

Result<Line> SessionList::row(std::uint64_t index, int columns) {
  const api::SessionRow row = api::row_of(sessions_.at(index));
  const bool is_wide = columns >= kWideList;
  Line line{{fmt::format("{:>4}  ", row.number), look_of(Style::commit)},
            {when(row.started, is_wide) + "  ", look_of(Style::muted)},
            {cell(row.agent, 11) + "  ", look_of(Style::hunk)}};
  if (is_wide) {
    line.push_back({cell(std::filesystem::path(row.project).filename().string(), 12) + "  ", {}});
    line.push_back(
        {cell(row.models.empty() ? "" : row.models.front(), 18) + "  ", look_of(Style::muted)});
    line.push_back({fmt::format("{:>5} turns  ", short_number(row.turns)), {}});
  }
  const std::string cost = row.cost_usd ? short_cost(*row.cost_usd, row.is_complete) : "";
  line.push_back({std::string(static_cast<std::size_t>(std::max(7 - display_width(cost), 0)), ' ') +
                      cost + "  ",
                  {}});
  const std::string outcome = row.outcome == "finished" ? "" : row.outcome + "  ";
  line.push_back({outcome, look_of(row.outcome == "failed" ? Style::error : Style::warning)});
  line.push_back({title_of(row), look_of(Style::strong)});
  return line;
}

Result<bool> SessionList::has(std::uint64_t index, std::string_view needle) {
  const api::SessionRow row = api::row_of(sessions_.at(index));
  const auto says = [&](std::string_view text) { return contains(text, needle); };
  return says(row.title) || says(row.project) || says(row.agent) || says(row.id) ||
         says(row.outcome) || std::ranges::any_of(row.models, says) ||
         std::ranges::any_of(row.branches, says);
}

// A project is a chapter of its sessions.
Result<bool> SessionList::begins_chapter(std::uint64_t index) {
  return index == 0 || sessions_[index].facts.project != sessions_[index - 1].facts.project;
}

std::span<const Tab> SessionList::tabs() const { return kSessionTabs; }

Result<std::vector<std::string>> SessionList::command(std::uint64_t index, const Tab& tab,
                                                      std::optional<std::uint64_t> /*mark*/) {
  const std::string& branch = sessions_.at(index).name();
  if (tab.is('d')) return std::vector<std::string>{"debrief", branch};
  return std::vector<std::string>{tab.is('t') ? "reasoning" : "log", branch, "-n", kNewest};
}

Result<store::Oid> SessionList::commit(std::uint64_t index) {
  return sessions_.at(index).lines.front().head;
}

Result<std::unique_ptr<List>> SessionList::open(std::uint64_t index) {
  const api::Session& of = sessions_.at(index);
  const api::SessionLine& line = of.lines.front();
  const std::string title = fmt::format("{} {}", of.number, title_of(api::row_of(of)));
  return std::unique_ptr<List>(TRY(TurnList::read(session_, title, line.branch, line.head)));
}

Result<std::unique_ptr<List>> SessionList::branches(std::uint64_t index) {
  return std::unique_ptr<List>(std::make_unique<BranchList>(session_, sessions_.at(index)));
}

Result<std::uint64_t> SessionList::refresh(std::uint64_t index) {
  const std::string id = index < sessions_.size() ? sessions_[index].name() : std::string();
  sessions_ = TRY(api::list_sessions(TRY(session_.context())));
  const auto same = std::ranges::find(sessions_, id, &api::Session::name);
  return same == sessions_.end() ? 0 : static_cast<std::uint64_t>(same - sessions_.begin());
}

std::string BranchList::title() const {
  return fmt::format("{} {}", of_.number, title_of(api::row_of(of_)));
}

Result<Line> BranchList::row(std::uint64_t index, int columns) {
  const api::SessionLine& branch = of_.lines.at(index);
  const api::Workspace& workspace = *TRY(session_.workspace());
  const api::TurnView view = TRY(api::read_view(workspace.reader(), branch.head));
  return Line{{when(view.commit->time, columns >= kWideList) + "  ", look_of(Style::muted)},
              {cell(branch.branch, columns >= kWideList ? 44 : 32) + "  ", look_of(Style::branch)},
              {fmt::format("{:>6}  ", short_number(view.commit->depth + 1)), {}},
              {visible_line(view.summary()), {}}};
}

Result<bool> BranchList::has(std::uint64_t index, std::string_view needle) {
  return contains(of_.lines.at(index).branch, needle);
}

Result<bool> BranchList::begins_chapter(std::uint64_t index) { return index == 0; }

std::span<const Tab> BranchList::tabs() const { return kBranchTabs; }

Result<std::vector<std::string>> BranchList::command(std::uint64_t index, const Tab& tab,
                                                     std::optional<std::uint64_t> /*mark*/) {
  return std::vector<std::string>{tab.is('t') ? "reasoning" : "log", of_.lines.at(index).branch,
                                  "-n", kNewest};
}

Result<store::Oid> BranchList::commit(std::uint64_t index) { return of_.lines.at(index).head; }

Result<std::unique_ptr<List>> BranchList::open(std::uint64_t index) {
  const api::SessionLine& line = of_.lines.at(index);
  return std::unique_ptr<List>(TRY(TurnList::read(session_, line.branch, line.branch, line.head)));
}

Result<std::unique_ptr<List>> BranchList::branches(std::uint64_t /*index*/) {
  return std::unique_ptr<List>();
}

Result<std::uint64_t> BranchList::refresh(std::uint64_t index) {
  const std::string at = index < of_.lines.size() ? of_.lines[index].branch : std::string();
  auto found = api::find_session(TRY(session_.context()), of_.name());
  if (!found && found.error().code == Error::Code::not_found) return index;  // It was deleted.
  of_ = TRY(std::move(found));
  const auto same = std::ranges::find(of_.lines, at, &api::SessionLine::branch);
  return same == of_.lines.end() ? 0 : static_cast<std::uint64_t>(same - of_.lines.begin());
}

}  // namespace spoor::cli::tui
