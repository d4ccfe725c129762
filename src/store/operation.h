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

/// One ref that an operation moves. Absent stands for "no such ref".
struct RefMove {
  std::string name;  ///< full, for example `refs/heads/main`
  std::optional<Oid> before;
  std::optional<Oid> after;

  bool operator==(const RefMove&) const = default;
};

/// One change of refs: the unit of the operation log. Operations are chained by
/// `prev`; the newest that names a ref is that ref's value.
struct Operation {
  std::optional<Oid> prev;  ///< the operation before; none on the first
  std::optional<Oid>
      folded;         ///< on a checkpoint: the operation it stands for, which the next `prev` names
  Timestamp time;     ///< never before prev's
  std::string actor;  ///< who, as is_author() allows
  std::string command;                   ///< which command; a word or two, never text of a turn
  std::optional<Oid> undo;               ///< the operation this one takes back
  std::vector<std::pair<Oid, Oid>> map;  ///< old commit, its copy
  std::vector<RefMove> refs;             ///< sorted by name, each once

  bool operator==(const Operation&) const = default;
};

/// The one text of an operation. Code::invalid when it breaks a rule.
Result<std::string> serialize(const Operation& operation);

/// Code::corrupt unless serialize() gives the same bytes back.
Result<Operation> parse_operation(std::string_view body);

/// SHA-256("spoor1 op " + decimal length + NUL + body): what `prev` and `undo` name.
Oid operation_name(std::string_view body);

/// What the next operation's `prev` names: `folded` on a checkpoint, else the name.
Oid chain_name(const Operation& operation, const Oid& name);

/// Why `name` is no ref, branch or tag name; empty when it is one. The rules are
/// git's (git-check-ref-format): see docs/format.md.
std::string ref_name_problem(std::string_view name);

}  // namespace spoor::store
