#pragma once

#include <cstdint>
#include <optional>

#include "store/check/findings.h"
#include "store/check/object_graph.h"
#include "store/oid_table.h"
#include "store/ref_log.h"

namespace spoor::store::check {

/// Holds the operation log against its rules, operation by operation, and folds it
/// into the refs. Tells `graph` which commits the log names.
class LogCheck {
 public:
  LogCheck(Findings& findings, ObjectGraph& graph) : findings_(findings), graph_(graph) {}

  /// The operations, oldest first.
  void take(const LoggedOperation& logged);

  std::uint64_t number() const { return number_; }            ///< of the last one; 0 before
  std::uint64_t count() const { return count_; }              ///< how many there were
  const std::optional<Oid>& newest() const { return name_; }  ///< the last one's name
  const RefMap& refs() const { return log_.refs(); }

  /// Every operation could be read, so refs() is what the log says.
  bool is_whole() const { return is_whole_; }

 private:
  std::optional<Operation> read(const LoggedOperation& logged);
  void check_chain(const Operation& operation, const std::string& subject);
  void check_moves(const Operation& operation, const std::string& subject);
  void tell_graph(const Operation& operation, std::uint64_t number);

  Findings& findings_;
  ObjectGraph& graph_;
  std::uint64_t number_ = 0;
  std::uint64_t count_ = 0;
  std::optional<Oid> name_;
  std::optional<Oid> chain_;     // What the next `prev` names.
  std::optional<Oid> or_chain_;  // The other candidate, when a name and its bytes disagree.
  Timestamp time_;
  RefLog log_;
  OidTable names_;  // Of all operations, for `undo`.
  bool is_whole_ = true;
  bool starts_with_checkpoint_ = false;
};

}  // namespace spoor::store::check
