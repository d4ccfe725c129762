#include "cli/change_turn.h"

#include <fmt/format.h>

#include "cli/branch_writes.h"
#include "graph/replacing_summary.h"

namespace spoor::cli {

Result<void> warn_if_replaced(Session& session, const Workspace& workspace, const Oid& tip,
                              const Oid& target) {
  const auto state = TRY(workspace.repository().folder().at(tip));
  const auto summary = graph::replacing_summary(*state, target);
  if (!summary) return {};
  session.err().print(
      fmt::format("{} replaces it: the prompt does not change\n", workspace.short_id(*summary)));
  return {};
}

Result<void> change_turn(Session& session, const Arguments& arguments, const char* command,
                         const Change& change) {
  Workspace& workspace = *TRY(session.workspace());
  const std::string name = TRY(workspace.branch_for_writing());
  const Oid target = TRY(workspace.resolve(arguments.text("revision")));
  graph::Branch branch = workspace.repository().branch(name);
  const std::optional<Oid> before = TRY(branch.tip());
  std::optional<Oid> after;
  const auto body = [&](graph::Draft& draft) -> Result<void> {
    after = TRY(change(draft, branch.ref(), target));
    return {};
  };
  TRY(workspace.repository().transact(command, graph::OnConflict::reparent, body));
  print_made(session, workspace, {name, before, *after}, arguments.has("--json"));
  return warn_if_replaced(session, workspace, *after, target);
}

}  // namespace spoor::cli
