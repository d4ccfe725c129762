// at, next, prev, where and back: time travel in the interactive session. They move only the view.
#include <array>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/line_walk.h"
#include "cli/session.h"
#include "cli/views/times.h"
#include "cli/views/turn_card.h"

namespace spoor::cli {
namespace {

constexpr std::array kAtOptions = {
    Option{"revision", "REV", "the turn to view", 0, Takes::revision, Count::one},
};
constexpr std::array kStepOptions = {
    Option{"count", "N", "how many turns (default: 1)", 0, Takes::number},
};
constexpr std::array kBackOptions = {
    Option{"--all", "", "return to the present at once", 'a'},
};

// Returns the commit being viewed; not_found on a branch without commits.
Result<Oid> standing_on(const Workspace& workspace) { return workspace.resolve(workspace.here()); }

Result<void> go_at(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  const std::string revision = arguments.text("revision");
  const Oid commit = TRY(workspace.resolve(revision));
  workspace.view().jump({commit, branch_named_by(workspace, revision)});
  return print_turn_card(session, workspace, commit);
}

// Returns the number of turns to step.
Result<std::int64_t> step_count(Session& session, const Arguments& arguments) {
  const std::int64_t count = arguments.number("count", 1);
  if (count == 0)
    return session.usage_error("a step must be 1 turn or more", "use a number from 1 on");
  return count;
}

Result<void> go_next(Session& session, const Arguments& arguments) {
  const std::int64_t count = TRY(step_count(session, arguments));
  Workspace& workspace = *TRY(session.workspace());
  const Oid from = TRY(standing_on(workspace));
  const auto line = TRY(line_through(workspace, from, workspace.view().now().branch));
  if (!line) {
    return not_found(fmt::format("no branch continues from {}", workspace.short_id(from)),
                     "see 'log --graph --all' for what comes after it");
  }
  Oid at = from;
  for (std::int64_t left = count; left > 0; --left) {
    const auto next = TRY(turn_after(workspace, at, *line));
    if (!next) break;
    at = *next;
  }
  if (at == from) {
    return not_found(fmt::format("{} is the newest turn{}", workspace.short_id(from),
                                 line->branch.empty() ? "" : fmt::format(" of {}", line->branch)),
                     workspace.view().is_present() ? "" : "'back' returns to the present");
  }
  workspace.view().step(at);
  return print_turn_card(session, workspace, at);
}

Result<void> go_previous(Session& session, const Arguments& arguments) {
  const std::int64_t count = TRY(step_count(session, arguments));
  Workspace& workspace = *TRY(session.workspace());
  const Oid from = TRY(standing_on(workspace));
  Oid at = from;
  for (std::int64_t left = count; left > 0; --left) {
    const auto before = TRY(turn_before(workspace, at));
    if (!before) break;
    at = *before;
  }
  if (at == from) {
    return not_found(fmt::format("{} is the first turn", workspace.short_id(from)));
  }
  workspace.view().step(at);
  return print_turn_card(session, workspace, at);
}

// Returns "on main, at the present", "on main, commit 12 of 42, 30 before its end".
Result<std::string> place(const Workspace& workspace, const Oid& commit) {
  const auto line = TRY(line_through(workspace, commit, workspace.view().now().branch));
  if (!line) return std::string("not on a branch");
  const std::uint64_t at = TRY(workspace.reader().commit(commit))->depth;
  const std::uint64_t end = TRY(workspace.reader().commit(line->end))->depth;
  std::string text = line->branch.empty() ? "detached" : "on " + line->branch;
  text += fmt::format(", commit {} of {}", grouped(at + 1), grouped(end + 1));
  if (at < end) text += fmt::format(", {} before its end", grouped(end - at));
  return text;
}

Result<void> say_where(Session& session, const Arguments& /*arguments*/) {
  const Workspace& workspace = *TRY(session.workspace());
  const Oid commit = TRY(standing_on(workspace));
  session.out().print(TRY(place(workspace, commit)));
  session.out().print(workspace.view().is_present() ? "; the view is at the present\n"
                                                    : "; 'back' returns\n");
  return print_turn_card(session, workspace, commit);
}

Result<void> go_back(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  if (workspace.view().is_present()) return invalid("the view is already at the present");
  if (arguments.has("--all")) {
    workspace.view().leave();
  } else {
    workspace.view().back();
  }
  return say_where(session, arguments);
}

}  // namespace

extern const Command kViewAt{
    .name = "at",
    .summary = "View an earlier commit without moving a branch",
    .options = kAtOptions,
    .run = go_at,
    .group = Group::session,
    .details =
        "From then on log, show, pprint, diff and compile use that turn if no revision is\n"
        "given; HEAD does not move. The prompt shows the commit being viewed. Turns cannot\n"
        "be added while viewing an earlier one; all other commands work as usual.",
};
extern const Command kNext{
    .name = "next",
    .summary = "View the next turn",
    .options = kStepOptions,
    .run = go_next,
    .group = Group::session,
    .details =
        "Follows the branch that 'at' named, else HEAD's branch, else the first that\n"
        "contains the turn. Annotations and settings are skipped, as in the log.",
};
extern const Command kPrevious{
    .name = "prev",
    .summary = "View the previous turn",
    .options = kStepOptions,
    .run = go_previous,
    .group = Group::session,
};
extern const Command kWhere{
    .name = "where",
    .summary = "Show the commit being viewed",
    .options = {},
    .run = say_where,
    .group = Group::session,
};
extern const Command kBack{
    .name = "back",
    .summary = "Return to the previous view",
    .options = kBackOptions,
    .run = go_back,
    .group = Group::session,
    .details =
        "Steps by next and prev are not recorded: back returns to the view before the first\n"
        "of them.",
};

}  // namespace spoor::cli
