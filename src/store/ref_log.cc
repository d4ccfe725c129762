#include "store/ref_log.h"

#include <algorithm>

#include <fmt/format.h>

namespace spoor::store {
namespace {

std::string shown(const std::optional<Oid>& oid) { return oid ? oid->hex(8) : "absent"; }

}  // namespace

bool names_ref(const Operation& operation, std::string_view ref) {
  return ref.empty() || std::any_of(operation.refs.begin(), operation.refs.end(),
                                    [ref](const RefMove& move) { return move.name == ref; });
}

void RefLog::apply(std::uint64_t number, const Oid& name, const Operation& operation) {
  if (operation.folded) refs_.clear();  // A checkpoint lists every ref.
  for (const RefMove& move : operation.refs) {
    if (move.after) {
      refs_.insert_or_assign(move.name, *move.after);
    } else {
      refs_.erase(move.name);
    }
  }
  number_ = number;
  name_ = name;
  chain_ = chain_name(operation, name);
  time_ = operation.time;
}

std::optional<Oid> RefLog::ref(std::string_view name) const {
  const auto found = refs_.find(name);
  if (found == refs_.end()) return std::nullopt;
  return found->second;
}

std::vector<Ref> RefLog::refs_with_prefix(std::string_view prefix) const {
  std::vector<Ref> found;
  for (auto at = refs_.lower_bound(prefix); at != refs_.end() && at->first.starts_with(prefix);
       ++at) {
    found.push_back({at->first, at->second});
  }
  return found;
}

Result<RefLog::Next> RefLog::next(const Transaction& transaction) const {
  return next(
      transaction, [this](std::string_view name) { return ref(name); }, chain_, time_);
}

Result<RefLog::Next> RefLog::next(const Transaction& transaction,
                                  const std::function<std::optional<Oid>(std::string_view)>& ref,
                                  const std::optional<Oid>& prev, Timestamp not_before) {
  if (transaction.refs.empty()) {
    return invalid("a transaction must move at least one ref", "store objects alone with put()");
  }

  Next next;
  Operation& operation = next.operation;
  operation.prev = prev;
  operation.time = std::max(not_before, transaction.time);
  operation.actor = transaction.actor;
  operation.command = transaction.command;
  operation.undo = transaction.undo;
  operation.map = transaction.map;
  operation.refs = transaction.refs;
  next.body = TRY(serialize(operation));

  const auto is_done = [&](const RefMove& move) { return ref(move.name) == move.after; };
  next.was_there = std::all_of(operation.refs.begin(), operation.refs.end(), is_done);
  if (next.was_there) return next;

  for (const RefMove& move : operation.refs) {
    if (const auto now = ref(move.name); now != move.before) {
      return conflict(
          fmt::format("'{}' is at {}, not at {}", move.name, shown(now), shown(move.before)),
          "another writer moved it: read it again, then retry");
    }
  }
  next.name = operation_name(next.body);
  return next;
}

}  // namespace spoor::store
