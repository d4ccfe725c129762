#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/operation.h"
#include "store/store.h"

namespace spoor::store {

/// Refs by full name.
using RefMap = std::map<std::string, Oid, std::less<>>;

/// Returns whether the operation moves this ref. An empty `ref` matches every operation.
bool names_ref(const Operation& operation, std::string_view ref);

/// The state of the operation log after some operation: the value of each ref, and the predecessor
/// of the next operation. All engines use it for the rules of an atomic change. A value; not
/// locked.
class RefLog {
 public:
  RefLog() = default;

  /// Begins in the middle of a log: `refs` as of operation `number`.
  RefLog(std::uint64_t number, RefMap refs) : number_(number), refs_(std::move(refs)) {}

  /// Applies the next operation; `number` must be the last number + 1.
  void apply(std::uint64_t number, const Oid& name, const Operation& operation);

  /// The number of the last operation applied; 0 if none.
  std::uint64_t number() const { return number_; }

  /// The name of the last operation applied; nullopt if none.
  const std::optional<Oid>& name() const { return name_; }

  /// The name for the next operation's `prev`; nullopt if unknown.
  const std::optional<Oid>& chain() const { return chain_; }

  const RefMap& refs() const { return refs_; }
  std::optional<Oid> ref(std::string_view name) const;
  std::vector<Ref> refs_with_prefix(std::string_view prefix) const;

  /// An operation ready to append.
  struct Next {
    bool was_there = false;  ///< a retried call: write nothing
    Operation operation;
    Oid name;
    std::string body;
  };

  /// Checks a transaction and makes its operation. Code::invalid if it breaks a rule of the format
  /// or moves no ref, Code::conflict if a ref is not at its expected value.
  Result<Next> next(const Transaction& transaction) const;

  /// The same for an engine that holds no state of the log: `ref` returns the current value of a
  /// ref that the transaction moves, `prev` is what the operation follows, which is not of a later
  /// time than `not_before`.
  static Result<Next> next(const Transaction& transaction,
                           const std::function<std::optional<Oid>(std::string_view)>& ref,
                           const std::optional<Oid>& prev, Timestamp not_before);

 private:
  std::uint64_t number_ = 0;
  std::optional<Oid> name_;
  std::optional<Oid> chain_;  // For the next `prev`.
  Timestamp time_;
  RefMap refs_;
};

}  // namespace spoor::store
