#include <array>

#include <fmt/format.h>

#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/session.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    Option{"revision", "REV", "where to move the branch", 0, Takes::revision, Count::one},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor reset HEAD~2", "remove the last two commits from the branch"},
};

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  if (!workspace.view().is_present()) {
    const std::string id = workspace.short_id(*workspace.view().now().commit);
    return invalid(fmt::format("the view is at {}, but reset would move {}", id,
                               TRY(workspace.branch_for_writing())),
                   "run 'back' first; to view another turn without moving a branch, run 'at REV'");
  }
  const Oid to = TRY(workspace.resolve(arguments.text("revision")));
  const Made made = TRY(write_on_branch(
      workspace, "reset", [&](graph::Draft& draft, const std::string& ref) -> Result<Oid> {
        TRY(draft.move(ref, to));
        return to;
      }));
  if (made.before == made.after && !arguments.has("--json")) {
    session.out().print(fmt::format("{}: already there\n", made.branch));
    return {};
  }
  print_made(session, workspace, made, arguments.has("--json"));
  return {};
}

}  // namespace

extern const Command kReset{
    .name = "reset",
    .summary = "Move this branch to another commit",
    .options = kOptions,
    .run = run,
    .group = Group::history,
    .details = "The commits that the branch leaves stay stored, and the move can be undone.",
    .examples = kExamples,
};

}  // namespace spoor::cli
