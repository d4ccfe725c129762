#include "cli/views/turn_text.h"

#include <fmt/format.h>

#include "cli/views/times.h"
#include "compile/turn.h"

namespace spoor::cli {
namespace {

// Fewer than four digits never name an object.
constexpr std::size_t kFewestDigits = 4;

}  // namespace

Style style_of(const TurnView& view) {
  const store::Type type = view.commit->type.value_or(store::Type::summary);
  if (!view.commit->type) return Style::hunk;
  return style_of(compile::role_of(type), type);
}

Style style_of(std::string_view role, store::Type type) {
  if (type == store::Type::reasoning) return Style::reasoning;
  if (type == store::Type::note || type == store::Type::decision || type == store::Type::config) {
    return Style::hunk;
  }
  if (compile::is_instruction_role(role)) return Style::system;
  if (role == "user") return Style::user;
  if (role == "tool") return Style::tool;
  return Style::assistant;
}

void print_id(Output& out, const Workspace& workspace, const Oid& commit, const std::string& id) {
  std::size_t enough = id.size();
  if (out.has_color()) {
    const auto shortest = store::abbreviate(workspace.repository().store(), commit, kFewestDigits);
    if (shortest) enough = std::min(shortest.value().size(), id.size());
  }
  out.print(Style::commit_unique, id.substr(0, enough));
  if (enough < id.size()) out.print(Style::commit, id.substr(enough));
}

ListedId listed_id(const Output& out, const Workspace& workspace, const Oid& commit) {
  ListedId listed{commit, {}, workspace.short_id(commit)};
  if (workspace.printed() == nullptr) return listed;
  const std::size_t number = workspace.printed()->number_of(commit);
  if (out.is_tty()) listed.number = fmt::format("{:<4}", fmt::format("@{} ", number));
  return listed;
}

void print_id(Output& out, const Workspace& workspace, const ListedId& listed) {
  out.print(Style::muted, listed.number);
  print_id(out, workspace, listed.commit, listed.id);
}

std::string shown_time(const Output& out, Timestamp time, Timestamp now) {
  return out.is_tty() ? relative_time(time, now) : plain_time(time);
}

}  // namespace spoor::cli
