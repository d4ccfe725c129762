#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/timestamp.h"
#include "store/oid.h"

namespace spoor::store {

/// One ref that an operation moves. Nullopt means that the ref does not exist.
struct RefMove {
  std::string name;  ///< full, for example `refs/heads/main`
  std::optional<Oid> before;
  std::optional<Oid> after;

  bool operator==(const RefMove&) const = default;
};

/// One change of refs: the unit of the operation log. Operations are chained by `prev`; a ref's
/// value is in the newest operation that names it.
struct Operation {
  std::optional<Oid> prev;  ///< the previous operation; nullopt on the first
  std::optional<Oid>
      folded;           ///< on a checkpoint: the operation it replaces, named by the next `prev`
  Timestamp time;       ///< not earlier than prev's
  std::string actor;    ///< valid for is_author()
  std::string command;  ///< one or two words, never text of a turn
  std::optional<Oid> undo;               ///< the operation that this one reverts
  std::vector<std::pair<Oid, Oid>> map;  ///< old commit and its copy
  std::vector<RefMove> refs;             ///< sorted by name, each once

  bool operator==(const Operation&) const = default;
};

/// Returns the only valid text of an operation. Code::invalid if it breaks a rule.
Result<std::string> serialize(const Operation& operation);

/// Parses the text of an operation. Code::corrupt unless serialize() returns the same bytes.
Result<Operation> parse_operation(std::string_view body);

/// Returns the name that `prev` and `undo` use: SHA-256("spoor1 op " + decimal length + NUL +
/// body).
Oid operation_name(std::string_view body);

/// Returns the name for the next operation's `prev`: `folded` on a checkpoint, else `name`.
Oid chain_name(const Operation& operation, const Oid& name);

/// Returns why `name` is not a valid ref, branch or tag name; empty if it is valid. The rules are
/// git's (git-check-ref-format): see docs/format.md.
std::string ref_name_problem(std::string_view name);

}  // namespace spoor::store
