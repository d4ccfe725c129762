#include <algorithm>

#include "graph/rewrite.h"
#include "graph/undo.h"
#include "tests/vectors_runner/session.h"

namespace spoor::vectors {

using graph::Draft;

Result<Json> Session::rebase(const Json& op) {
  return write("rebase", [&](Draft& draft, const auto& ref) -> Result<Json> {
    const auto done = TRY(graph::rebase(draft, reader(), ref, TRY(resolve(op["onto"]))));
    return Json{{"replayed", done.copies.size()}, {"head", done.tip.hex()}};
  });
}

Result<Json> Session::cherry_pick(const Json& op) {
  return write("cherry_pick", [&](Draft& draft, const auto& ref) -> Result<Json> {
    std::vector<Oid> targets;
    for (const Json& target : op["targets"]) targets.push_back(TRY(resolve(target)));
    const auto done = TRY(graph::cherry_pick(draft, reader(), ref, targets));
    Json made = {{"commits", Json::array()}};
    for (const auto& [original, copy] : done.copies) made["commits"].push_back(copy.hex());
    return made;
  });
}

Result<Json> Session::undo(const Json&) {
  const graph::Step step = TRY(graph::step_to_undo(repository_->store()));
  const auto& moves = step.operation.refs;
  const auto moves_branch = [](const store::RefMove& move) {
    return move.name.starts_with(store::branch_ref(""));
  };
  if (!head_.branch && std::any_of(moves.begin(), moves.end(), moves_branch)) {
    return invalid("HEAD is detached", "check out a branch first");
  }
  TRY(write_refs(graph::kUndo, [&](Draft& draft) { return graph::take_back(draft, step); }));
  const bool unborn =
      head_.branch && std::any_of(moves.begin(), moves.end(), [&](const auto& move) {
        return move.name == store::branch_ref(*head_.branch) && !move.before;
      });
  if (unborn && previous_) head_ = *previous_;
  return Json();
}

}  // namespace spoor::vectors
