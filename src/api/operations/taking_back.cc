#include "api/operations/taking_back.h"

#include <algorithm>
#include <array>

namespace spoor::api {

using graph::Repository;

namespace {

Result<bool> is_there(const Workspace& workspace, const Head& head) {
  const store::Store& store = workspace.repository().store();
  if (head.commit) return static_cast<bool>(TRY(store.has(std::array{*head.commit}))[0]);
  return TRY(store.ref(store::branch_ref(head.branch))).has_value();
}

Result<std::optional<Head>> head_after(const Workspace& workspace, const graph::Step& step) {
  if (const auto head = TRY(workspace.head_before(step.name))) {
    // The step may restore the branch, or the branch may have had no commit.
    if (!head->commit || TRY(is_there(workspace, *head))) return head;
  }
  const Head head = TRY(workspace.head());
  const auto& moves = step.operation.refs;
  const bool loses_branch =
      !head.is_detached() && std::any_of(moves.begin(), moves.end(), [&](const auto& move) {
        return !move.before && move.name == store::branch_ref(head.branch);
      });
  const auto previous = workspace.previous_head();
  if (!loses_branch || !previous || !TRY(is_there(workspace, *previous))) {
    return std::optional<Head>();
  }
  return std::optional(*previous);
}

}  // namespace

Result<graph::Step> step_to_undo(const Workspace& workspace, std::string_view operation) {
  const Repository& repository = workspace.repository();
  if (!operation.empty()) return graph::step_to_undo(repository.store(), operation);
  return graph::step_to_undo_by(repository.store(), repository.author());
}

Result<graph::Step> step_to_redo(const Workspace& workspace, std::string_view operation) {
  const Repository& repository = workspace.repository();
  if (!operation.empty()) return graph::step_to_redo(repository.store(), operation);
  return graph::step_to_redo_by(repository.store(), repository.author());
}

Result<void> take_back(Workspace& workspace, std::string_view command, const graph::Step& step) {
  const auto head = TRY(head_after(workspace, step));
  const auto written = TRY(workspace.repository().transact(
      command, graph::OnConflict::fail,
      [&](graph::Draft& draft) { return graph::take_back(draft, step); }));
  return head ? workspace.set_head(*head, written.operation) : Result<void>();
}

}  // namespace spoor::api
