#include "compile/undo.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "store/operation_walk.h"

namespace spoor::compile {
namespace {

enum class Kind { step, undo, redo, other };

bool is_step_of(const store::RefMove& move) {
  return move.name.starts_with("refs/heads/") || move.name.starts_with("refs/tags/");
}

Kind kind_of(const store::Operation& operation) {
  if (operation.undo) return operation.command == kRedo ? Kind::redo : Kind::undo;
  const bool is_step = std::any_of(operation.refs.begin(), operation.refs.end(), is_step_of);
  return is_step ? Kind::step : Kind::other;
}

// The newest operation in force of kind `wanted`; nothing when one of kind `stop` is newer. An
// operation that another took back is not in force, nor is what it took back itself.
Result<std::optional<Step>> find(const store::Store& store, Kind wanted, std::optional<Kind> stop) {
  std::unordered_set<Oid> taken_back;
  std::optional<Step> found;
  TRY(store::walk_operations(store, [&](const store::LoggedOperation& logged) -> Result<bool> {
    store::Operation operation = TRY(store::parse_operation(logged.body));
    if (operation.folded) return false;  // What came before is not known any more.
    if (found) {                         // An undo; what it took back is what is done again.
      if (found->operation.undo == logged.name) found->command = operation.command;
      return found->operation.undo != logged.name;
    }
    if (taken_back.contains(logged.name)) return true;
    const Kind kind = kind_of(operation);
    if (kind == stop) return false;
    if (kind == wanted) {
      found = Step{logged.name, operation, operation.command};
      return wanted == Kind::undo;
    }
    if (operation.undo) taken_back.insert(*operation.undo);
    return true;
  }));
  return found;
}

}  // namespace

Result<Step> step_to_undo(const store::Store& store) {
  if (auto step = TRY(find(store, Kind::step, std::nullopt))) return std::move(*step);
  return store::not_found("there is nothing to undo", "see what was done with 'spoor oplog'");
}

Result<Step> step_to_redo(const store::Store& store) {
  if (auto step = TRY(find(store, Kind::undo, Kind::step))) return std::move(*step);
  return store::not_found("there is nothing to redo", "see what was done with 'spoor oplog'");
}

Result<void> take_back(Draft& draft, const Step& step) {
  for (const store::RefMove& move : step.operation.refs) {
    if (!is_step_of(move)) continue;  // What was read from a source stays recorded.
    if (TRY(draft.tip(move.name)) != move.after) {
      return store::conflict(fmt::format("'{}' is not where that step left it", move.name),
                             "see what was done since with 'spoor oplog'");
    }
    TRY(draft.move(move.name, move.before));
  }
  draft.takes_back(step.name);
  return {};
}

}  // namespace spoor::compile
