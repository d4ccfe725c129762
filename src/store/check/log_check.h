#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "store/check/findings.h"
#include "store/check/object_graph.h"
#include "store/oid_table.h"
#include "store/ref_log.h"

namespace spoor::store::check {

/// Checks the operation log against its rules, operation by operation, and replays it to get the
/// refs. Reports to `graph` the commits that the log names.
class LogCheck {
 public:
  /// `has_lanes`: Store::has_lanes().
  LogCheck(Findings& findings, ObjectGraph& graph, bool has_lanes)
      : findings_(findings), graph_(graph), has_lanes_(has_lanes) {}

  /// Checks the next operation; call it for each, oldest first.
  void take(const LoggedOperation& logged);

  std::uint64_t number() const { return number_; }  ///< of the last operation; 0 before the first
  std::uint64_t count() const { return count_; }    ///< operations taken
  const std::optional<Oid>& newest() const { return name_; }  ///< name of the last operation
  const RefMap& refs() const { return log_.refs(); }

  /// True if every operation could be read, so that refs() is the log's result.
  bool is_whole() const { return is_whole_; }

 private:
  std::optional<Operation> read(const LoggedOperation& logged);
  void check_chain(const Operation& operation, const std::string& subject);
  void check_lane(const Operation& operation, const std::string& subject);
  void check_prev(const Operation& operation, const std::optional<Oid>& before,
                  const std::string& subject);
  void check_time(const Operation& operation, Timestamp before, const std::string& subject);
  void check_moves(const Operation& operation, const std::string& subject);
  void tell_graph(const Operation& operation, std::uint64_t number);

  Findings& findings_;
  ObjectGraph& graph_;
  const bool has_lanes_;
  /// The end of a ref's chain of operations.
  struct LaneEnd {
    Oid name;
    Timestamp time;
  };
  std::unordered_map<std::string, LaneEnd> lanes_;  // Those that are known.
  std::uint64_t number_ = 0;
  std::uint64_t count_ = 0;
  std::optional<Oid> name_;
  std::optional<Oid> chain_;     // The expected next `prev`.
  std::optional<Oid> or_chain_;  // Also accepted, if an operation's name and bytes disagree.
  Timestamp time_;
  RefLog log_;
  OidTable names_;  // The names of all operations, for `undo`.
  bool is_whole_ = true;
  bool starts_with_checkpoint_ = false;
};

}  // namespace spoor::store::check
