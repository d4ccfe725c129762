#include "cli/help/complete_ids.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/runs.h"
#include "api/turns/history.h"

namespace spoor::cli {

using api::HistoryQuery;
using api::HistoryStep;
using api::PrintedIds;
using api::read_view;
using api::TurnView;
using store::Oid;

namespace {

constexpr std::size_t kMostIds = 50;
constexpr std::size_t kNewest = 10;

std::string said(const TurnView& view) {
  const std::string_view kind = view.is_reasoning() ? "[reasoning]" : view.kind();
  return fmt::format("{:<11} {}", kind, view.summary());
}

// Leaves out unreadable commits, because completion cannot report errors.
std::vector<Candidate> by_digits(const Workspace& workspace, std::string_view digits) {
  std::vector<Candidate> out;
  const auto found = workspace.repository().store().find(digits, store::Kind::commit, kMostIds);
  if (!found) return out;
  for (const Oid& oid : found.value()) {
    const auto view = read_view(workspace.reader(), oid);
    if (!view) continue;
    const std::string id = workspace.short_id(oid);
    out.push_back({id.size() < digits.size() ? oid.hex() : id, said(view.value())});
  }
  return out;
}

std::vector<Candidate> newest(const Workspace& workspace) {
  std::vector<Candidate> out;
  const auto here = workspace.resolve_or_empty(workspace.here());
  if (!here || !here.value()) return out;
  HistoryQuery query;
  query.tips = {*here.value()};
  query.limit = kNewest;
  const auto walked = walk(workspace, query, [&](const HistoryStep& step) {
    out.push_back({workspace.short_id(step.view.oid), said(step.view)});
    return true;
  });
  if (!walked) out.clear();
  return out;
}

std::vector<Candidate> by_number(const Workspace& workspace, const PrintedIds& printed) {
  std::vector<Candidate> out;
  for (std::size_t number = 1; number <= std::min(printed.size(), kMostIds); ++number) {
    const Oid oid = *printed.find(number);
    const auto view = read_view(workspace.reader(), oid);
    if (view) out.push_back({fmt::format("@{}", number), said(view.value())});
  }
  return out;
}

}  // namespace

std::vector<Candidate> id_candidates(Session& session, std::string_view start) {
  const auto opened = session.workspace();
  if (!opened) return {};
  const Workspace& workspace = *opened.value();
  if (start.empty()) return newest(workspace);
  if (start.front() == '@' && workspace.printed() != nullptr) {
    return by_number(workspace, *workspace.printed());
  }
  return by_digits(workspace, start);
}

std::vector<Candidate> run_candidates(Session& session) {
  std::vector<Candidate> out;
  const auto opened = session.workspace();
  if (!opened) return out;
  const Workspace& workspace = *opened.value();
  std::optional<Error> unreadable;
  const auto runs = agent::list_readable_runs(workspace.repository(), unreadable);
  if (!runs) return out;
  for (const agent::RunName& run : runs.value()) {
    if (out.size() == kMostIds) break;
    const auto root = read_view(workspace.reader(), run.root);
    if (!root) continue;
    out.push_back({workspace.short_id(run.root), compile::preview(root.value().text_or_empty())});
  }
  return out;
}

}  // namespace spoor::cli
