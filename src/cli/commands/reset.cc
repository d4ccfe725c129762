#include <array>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/moves.h"
#include "cli/session.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    Option{"revision", "REV", "where the branch shall be", 0, Takes::revision, Count::one},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor reset HEAD~2", "leave the last two commits behind"},
};

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  if (!workspace.view().is_present()) {
    const std::string id = workspace.short_id(*workspace.view().now().commit);
    return invalid(fmt::format("you look at {}, but reset would move {}", id,
                               TRY(workspace.branch_for_writing())),
                   "'back' first; to look at another turn and move no branch, 'at REV'");
  }
  const Oid to = TRY(workspace.resolve(arguments.text("revision")));
  const Made made = TRY(write_on_branch(
      workspace, "reset", [&](graph::Draft& draft, const std::string& ref) -> Result<Oid> {
        TRY(draft.move(ref, to));
        return to;
      }));
  if (made.before == made.after && !arguments.has("--json")) {
    session.out().print(fmt::format("{}: is there already\n", made.branch));
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
    .details = "Nothing is lost: what the branch leaves behind stays stored, and can be undone.",
    .examples = kExamples,
};

}  // namespace spoor::cli
