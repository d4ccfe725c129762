#include "cli/replaced.h"

#include <fmt/format.h>

#include "graph/stand_in.h"

namespace spoor::cli {

Result<void> warn_if_replaced(Session& session, const Workspace& workspace, const Oid& tip,
                              const Oid& target) {
  const auto state = TRY(workspace.repository().folder().at(tip));
  const auto summary = graph::stand_in_of(*state, target);
  if (!summary) return {};
  session.err().print(
      fmt::format("{} stands for it: the prompt does not change\n", workspace.short_id(*summary)));
  return {};
}

}  // namespace spoor::cli
