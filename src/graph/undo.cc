#include "graph/undo.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include <fmt/format.h>

#include "store/operation_walk.h"

namespace spoor::graph {

namespace {

enum class Kind { step, undo, redo, erasure, other };

bool is_step_of(const store::RefMove& move) {
  return move.name.starts_with("refs/heads/") || move.name.starts_with("refs/tags/");
}

// Reports whether a ref move is undone with its step. Refs of runs and of import rules follow their
// branch; what was read from a source stays recorded.
bool is_taken_back(const store::RefMove& move) {
  return is_step_of(move) || move.name.starts_with("refs/runs/") ||
         move.name.starts_with("refs/imports/");
}

Kind kind_of(const store::Operation& operation) {
  if (operation.undo) return operation.command == kRedo ? Kind::redo : Kind::undo;
  if (operation.command == kErase) return Kind::erasure;
  const bool is_step = std::any_of(operation.refs.begin(), operation.refs.end(), is_step_of);
  return is_step ? Kind::step : Kind::other;
}

using IsWanted = std::function<bool(const Oid& name, const store::Operation& operation)>;

// Returns the newest operation in force that is wanted; nullopt if one of kind `stop` is newer. An
// operation is in force unless another one in force undid it.
Result<std::optional<Step>> find(const store::Store& store, const IsWanted& is_wanted,
                                 std::optional<Kind> stop = std::nullopt) {
  std::unordered_set<Oid> taken_back;
  std::optional<Step> found;
  TRY(store::walk_operations(store, [&](const store::LoggedOperation& logged) -> Result<bool> {
    store::Operation operation = TRY(store::parse_operation(logged.body));
    if (operation.folded) return false;  // Earlier operations are no longer known.
    if (found) {                         // An undo: find the command that it undid.
      if (found->operation.undo == logged.name) found->command = operation.command;
      return found->operation.undo != logged.name;
    }
    if (taken_back.contains(logged.name)) return true;
    if (kind_of(operation) == stop) return false;
    if (is_wanted(logged.name, operation)) {
      const bool is_undo = kind_of(operation) == Kind::undo;
      found = Step{logged.name, operation, operation.command};
      std::erase_if(found->operation.refs, [](const auto& move) { return !is_taken_back(move); });
      return is_undo;
    }
    if (operation.undo) taken_back.insert(*operation.undo);
    return true;
  }));
  return found;
}

IsWanted of_kind(Kind kind) {
  return [kind](const Oid&, const store::Operation& each) { return kind_of(each) == kind; };
}

std::string short_name(const Oid& operation) { return operation.hex(12); }

// The erased bytes cannot be restored.
Error is_erasure(const Oid& operation) {
  return invalid(fmt::format("{} erased texts: an erasure cannot be undone", short_name(operation)),
                 "to undo an earlier step: spoor undo OP; see 'spoor oplog'");
}

struct Named {
  Oid name;
  store::Operation operation;
};

// Finds an operation that is a step, an undo or a redo.
Result<Named> find_named(const store::Store& store, std::string_view text) {
  const store::LoggedOperation logged = TRY(store::find_operation(store, text));
  Named named{logged.name, TRY(store::parse_operation(logged.body))};
  if (named.operation.folded) {
    return invalid(
        fmt::format("{} is a checkpoint of all earlier operations", short_name(named.name)),
        "gc folded the log up to it; only later operations can be undone");
  }
  if (kind_of(named.operation) == Kind::erasure) return is_erasure(named.name);
  if (kind_of(named.operation) == Kind::other) {
    return invalid(fmt::format("{} moved no branch or tag", short_name(named.name)),
                   "list the operations with 'spoor oplog'");
  }
  return named;
}

}  // namespace

Result<Step> step_to_undo(const store::Store& store) {
  const auto is_newest = [](const Oid&, const store::Operation& each) {
    return kind_of(each) == Kind::step || kind_of(each) == Kind::erasure;
  };
  if (auto step = TRY(find(store, is_newest))) {
    if (kind_of(step->operation) == Kind::erasure) return is_erasure(step->name);
    return std::move(*step);
  }
  return not_found("nothing to undo", "list the operations with 'spoor oplog'");
}

Result<Step> step_to_undo_by(const store::Store& store, std::string_view actor) {
  Step step = TRY(step_to_undo(store));
  if (step.operation.actor == actor) return step;
  const auto own = TRY(find(store, [&](const Oid&, const store::Operation& each) {
    return kind_of(each) == Kind::step && each.actor == actor;
  }));
  std::string hint = fmt::format("to undo that: spoor undo {}", short_name(step.name));
  if (own) hint += fmt::format("; your own newest: spoor undo {}", short_name(own->name));
  return conflict(
      fmt::format("the newest step, '{}', is by {}", step.command, step.operation.actor), hint);
}

Result<Step> step_to_undo(const store::Store& store, std::string_view operation) {
  const Named named = TRY(find_named(store, operation));
  const Kind kind = kind_of(named.operation);
  if (kind != Kind::step) {
    return invalid(fmt::format("{} is not a step but an {}", short_name(named.name),
                               kind == Kind::undo ? "undo" : "undo taken back"),
                   kind == Kind::undo
                       ? fmt::format("to revert it: spoor redo {}", short_name(named.name))
                       : "name the step that it redid; see 'spoor oplog'");
  }
  const auto is_it = [&](const Oid& name, const store::Operation&) { return name == named.name; };
  if (auto step = TRY(find(store, is_it))) return std::move(*step);
  return conflict(fmt::format("{} is already undone", short_name(named.name)),
                  fmt::format("to redo it: spoor redo {}", short_name(named.name)));
}

Result<Step> step_to_redo(const store::Store& store) {
  if (auto step = TRY(find(store, of_kind(Kind::undo), Kind::step))) return std::move(*step);
  return not_found("nothing to redo", "name what was undone: spoor redo OP; see 'spoor oplog'");
}

Result<Step> step_to_redo_by(const store::Store& store, std::string_view actor) {
  Step step = TRY(step_to_redo(store));
  if (step.operation.actor == actor) return step;
  return conflict(
      fmt::format("the newest undo, of '{}', is by {}", step.command, step.operation.actor),
      fmt::format("to redo that: spoor redo {}", short_name(step.name)));
}

Result<Step> step_to_redo(const store::Store& store, std::string_view operation) {
  const Named named = TRY(find_named(store, operation));
  if (kind_of(named.operation) == Kind::redo) {
    return invalid(fmt::format("{} is a redo", short_name(named.name)),
                   "name the step, or its undo; see 'spoor oplog'");
  }
  const auto is_it = [&](const Oid& name, const store::Operation& each) {
    return kind_of(each) == Kind::undo && (name == named.name || each.undo == named.name);
  };
  if (auto step = TRY(find(store, is_it))) return std::move(*step);
  return conflict(fmt::format("{} is not undone: nothing to redo", short_name(named.name)),
                  "list the operations with 'spoor oplog'");
}

Result<void> take_back(Draft& draft, const Step& step) {
  for (const store::RefMove& move : step.operation.refs) {
    const bool is_there = TRY(draft.tip(move.name)) == move.after;
    // Import rules may have been set again, which is not a step.
    if (!is_there && move.name.starts_with("refs/imports/")) continue;
    if (!is_there) {
      return conflict(fmt::format("'{}' has moved since {}", move.name, short_name(step.name)),
                      "undo the later moves first; see 'spoor oplog'");
    }
    TRY(draft.move(move.name, move.before));
  }
  draft.takes_back(step.name);
  return {};
}

}  // namespace spoor::graph
