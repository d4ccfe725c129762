#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/operation.h"
#include "store/store.h"

namespace spoor::store {

/// Every ref by its full name.
using RefMap = std::map<std::string, Oid, std::less<>>;

/// Does the operation move this ref? Every operation does when `ref` is empty.
bool names_ref(const Operation& operation, std::string_view ref);

/// What the operation log says up to some operation: where each ref points, and
/// what the next operation follows. The one place that knows the rules of an
/// atomic change, so that every engine has the same ones. A value; not locked.
class RefLog {
 public:
  RefLog() = default;

  /// A log that begins in the middle: `refs` as of operation `number`.
  RefLog(std::uint64_t number, RefMap refs) : number_(number), refs_(std::move(refs)) {}

  /// Takes in the next operation, `number` of which counts on from the last.
  void apply(std::uint64_t number, const Oid& name, const Operation& operation);

  /// The operation last taken in; 0 when there was none.
  std::uint64_t number() const { return number_; }

  /// Its name; nothing when there was none.
  const std::optional<Oid>& name() const { return name_; }

  /// What the next operation's `prev` names; nothing when that is not known.
  const std::optional<Oid>& chain() const { return chain_; }

  const RefMap& refs() const { return refs_; }
  std::optional<Oid> ref(std::string_view name) const;
  std::vector<Ref> refs_with_prefix(std::string_view prefix) const;

  /// An operation ready for the log.
  struct Next {
    bool was_there = false;  ///< a retried call: nothing is to be written
    Operation operation;
    Oid name;
    std::string body;
  };

  /// Judges a transaction. Code::invalid when it breaks a rule of the format or
  /// moves no ref, Code::conflict when a ref is not where it should be.
  Result<Next> next(const Transaction& transaction) const;

 private:
  std::uint64_t number_ = 0;
  std::optional<Oid> name_;
  std::optional<Oid> chain_;  // What the next `prev` names.
  Timestamp time_;
  RefMap refs_;
};

}  // namespace spoor::store
