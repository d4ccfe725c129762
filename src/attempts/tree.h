#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/runs.h"
#include "attempts/plan.h"
#include "graph/refs.h"
#include "graph/repository.h"
#include "llm/price.h"
#include "trace/totals.h"

namespace spoor::attempts {

/// A tree of attempts: a commit with a plan, and a branch for each attempt that begins there. An
/// attempt is a run (agent/planner.h) on its branch, so nothing about it is stored apart from the
/// run.
struct Tree {
  std::string id;  ///< the first 16 digits of its commit
  Oid commit;      ///< where all branches begin
  Plan plan;
  std::optional<Timestamp> time;
};

/// The changes to the history that all attempts share.
struct Changes {
  std::optional<std::string> system;                ///< replaces the system prompt
  std::vector<std::pair<Oid, std::string>> edited;  ///< turns with their new texts

  bool empty() const { return !system && edited.empty(); }
};

/// Writes changes on `ref`. A system prompt replaces the text of the first of `systems`, its system
/// turns, and the others are skipped. Without any, the history is copied onto a new system turn,
/// since a system prompt comes first.
Result<void> write_changes(graph::Draft& draft, const store::Reader& reader, const std::string& ref,
                           const Changes& changes, const std::vector<Oid>& systems);

/// Returns the system turns on the way to `base`, oldest first.
Result<std::vector<Oid>> system_turns(const store::Reader& reader, const Oid& base);

/// Returns the branch of attempt `number`: `fork/9be01d77-3`.
std::string branch_of(const Tree& tree, std::int64_t number);

/// Creates a tree and the branches of all its attempts, in one transaction. Nothing runs yet.
/// Returns Code::not_found if an edited turn is not on the history of the base, Code::conflict if
/// the same tree was created at this moment, Code::invalid for more than kMostAttempts.
Result<Tree> create_tree(graph::Repository& repository, const Plan& plan, const Changes& changes);

/// Returns the tree that `name` means: `latest`, or a prefix of its id, at least 4 digits. Returns
/// Code::not_found or Code::ambiguous, with a hint.
Result<Tree> find_tree(const graph::Repository& repository, std::string_view name);

/// Returns all trees, the newest first, without those whose plan was erased or only hashed.
Result<std::vector<Tree>> list_trees(const graph::Repository& repository);

/// The state of an attempt.
enum class State {
  waiting,     ///< not begun
  unfinished,  ///< begun, and its end is not recorded or the tree's budget ended it
  ended,
  dropped,  ///< its branch was deleted: it does not count
};
std::string_view name_of(State state);

/// An attempt, as its run records it.
struct Attempt {
  std::int64_t number = 0;  ///< from 1
  std::string model;        ///< `PROVIDER/MODEL`
  std::string branch;
  State state = State::waiting;
  std::optional<agent::RunName> run;
  std::string stopped;        ///< goal_achieved, max_steps, …; empty: it has not ended
  std::string by;             ///< what ended it: `final_answer`, `no-recorded-result`
  std::optional<Oid> end;     ///< the run's last commit, if it ended
  std::optional<Oid> answer;  ///< the model's last answer
  std::uint64_t steps = 0;    ///< answers of the model
  trace::Totals totals;       ///< of this attempt alone

  /// Returns whether it is still to be begun or to go on.
  bool is_due() const { return state == State::waiting || state == State::unfinished; }
  std::uint64_t tokens() const { return totals.tokens.all().value_or(0); }
  llm::Money cost() const { return totals.cost.money.value_or(llm::Money()); }
};

/// Returns the attempts of a tree in their order. `prices` may be null.
Result<std::vector<Attempt>> attempts_of(const graph::Repository& repository, const Tree& tree,
                                         const llm::PriceList* prices);

/// Returns one of them.
Result<Attempt> attempt_of(const graph::Repository& repository, const Tree& tree,
                           std::int64_t number, const llm::PriceList* prices);

/// Why an attempt ended whose call has no recorded result.
constexpr std::string_view kNoRecordedResult = "no-recorded-result";

/// Why an attempt ended when all attempts together had reached a limit of the tree.
constexpr std::string_view kTreeLimit = "tree-limit";

}  // namespace spoor::attempts
