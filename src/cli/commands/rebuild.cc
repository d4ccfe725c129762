#include "cli/command.h"
#include "cli/session.h"

namespace spoor::cli {
namespace {

Result<void> run(Session& session, const Arguments& /*arguments*/) {
  Workspace& workspace = *TRY(session.workspace_for_repair());
  TRY(workspace.store().rebuild());
  workspace.repository().drop_caches();
  session.out().print("rebuilt refs, runs and indices from objects and the operation log\n");
  return {};
}

}  // namespace

extern const Command kRebuild{
    .name = "store rebuild",
    .summary = "Rebuild indexes and caches from objects and the operation log",
    .options = {},
    .run = run,
    .group = Group::care,
    .details =
        "Rebuilds the table of refs, the runs and the indexes; objects and operations do\n"
        "not change. Use it if 'spoor store fsck' reports an error in these.",
};

}  // namespace spoor::cli
