#include "store/memory_store.h"

#include <algorithm>
#include <iterator>

#include "store/oid_prefix.h"
#include "store/put_roots.h"

namespace spoor::store {
namespace {

std::optional<std::string> value_of(const auto& words, std::string_view key) {
  const auto found = words.find(key);
  if (found == words.end()) return std::nullopt;
  return found->second;
}

}  // namespace

Result<std::vector<Oid>> MemoryStore::loose(std::uint64_t since) const {
  const std::scoped_lock hold(mutex_);
  std::vector<Oid> found;
  for (const auto& [oid, number] : loose_) {
    if (number >= since) found.push_back(oid);
  }
  return found;
}

Result<std::vector<std::optional<Object>>> MemoryStore::get(std::span<const Oid> oids) const {
  const std::scoped_lock hold(mutex_);
  std::vector<std::optional<Object>> found;
  found.reserve(oids.size());
  for (const Oid& oid : oids) {
    const auto at = objects_.find(oid);
    found.push_back(at == objects_.end() ? std::nullopt : std::optional(at->second));
  }
  return found;
}

Result<std::vector<bool>> MemoryStore::has(std::span<const Oid> oids) const {
  const std::scoped_lock hold(mutex_);
  std::vector<bool> found;
  found.reserve(oids.size());
  for (const Oid& oid : oids) found.push_back(objects_.contains(oid));
  return found;
}

Result<std::vector<Oid>> MemoryStore::find(std::string_view prefix, Kind kind,
                                           std::size_t limit) const {
  std::vector<Oid> found;
  const auto first = lowest_oid_with(prefix);
  if (!first) return found;
  const std::scoped_lock hold(mutex_);
  for (auto at = objects_.lower_bound(*first); at != objects_.end() && found.size() < limit; ++at) {
    if (!has_prefix(at->first, prefix)) break;
    if (at->second.kind == kind) found.push_back(at->first);
  }
  return found;
}

Result<void> MemoryStore::scan(const ScanVisitor& visit) const {
  // A copy, so that the visitor may call the store.
  const auto copy = [this] {
    const std::scoped_lock hold(mutex_);
    return objects_;
  }();
  for (const auto& [oid, object] : copy) {
    if (!visit({oid, object})) break;
  }
  return {};
}

Result<std::vector<Ref>> MemoryStore::refs(std::string_view prefix) const {
  const std::scoped_lock hold(mutex_);
  return log_.refs_with_prefix(prefix);
}

Result<std::optional<Oid>> MemoryStore::ref(std::string_view name) const {
  const std::scoped_lock hold(mutex_);
  return log_.ref(name);
}

Result<void> MemoryStore::check_required(const Transaction& transaction) const {
  for (const Oid& oid : transaction.required) {
    if (!objects_.contains(oid)) return not_stored(oid);
  }
  return {};
}

Result<Receipt> MemoryStore::commit(const Transaction& transaction) {
  const std::scoped_lock turn(writers_);
  const std::scoped_lock hold(mutex_);
  Receipt receipt;
  std::optional<RefLog::Next> next;
  if (!transaction.refs.empty()) {
    next = TRY(log_.next(transaction));
    receipt.was_there = next->was_there;
    if (next->was_there) return receipt;
  }
  receipt.is_stale = transaction.epoch && *transaction.epoch != epoch();
  if (receipt.is_stale) return receipt;
  TRY(check_required(transaction));

  std::vector<std::vector<NewObject>> parts = {transaction.objects};
  while (transaction.more) {
    parts.push_back(TRY(transaction.more()));
    if (parts.back().empty()) break;
  }

  for (const Oid& oid : transaction.erase) receipt.erased += objects_.erase(oid);
  if (receipt.erased > 0) {
    cached_.clear();
    ++erasures_;
  }
  if (!transaction.properties.empty()) ++property_changes_;
  for (const auto& [key, value] : transaction.properties) set(properties_, key, value);
  for (std::vector<NewObject>& part : parts) {
    const auto roots = next ? std::vector<Oid>() : put_roots(part);
    for (const Oid& root : roots) loose_.insert_or_assign(root, log_.number());
    for (NewObject& each : part) {
      objects_.try_emplace(each.oid, Object{each.kind, std::move(each.body)});
    }
  }
  if (!next) return receipt;
  const std::uint64_t number = log_.number() + 1;
  log_.apply(number, next->name, next->operation);
  operations_.push_back({{number, next->name, std::move(next->body)}, std::move(next->operation)});
  receipt.operation = next->name;
  return receipt;
}

Result<void> MemoryStore::exclusive(const std::function<Result<void>()>& body) {
  const std::scoped_lock hold(writers_);
  return body();
}

Result<std::vector<LoggedOperation>> MemoryStore::operations(std::uint64_t after,
                                                             std::size_t limit) const {
  const std::scoped_lock hold(mutex_);
  std::vector<LoggedOperation> found;
  for (const Logged& each : operations_) {
    if (each.text.number > after && found.size() < limit) found.push_back(each.text);
  }
  return found;
}

Result<OperationNames> MemoryStore::folded_names() const {
  const std::scoped_lock hold(mutex_);
  return folded_;
}

Result<std::optional<LoggedOperation>> MemoryStore::newest_operation() const {
  const std::scoped_lock hold(mutex_);
  if (operations_.empty()) return std::optional<LoggedOperation>{};
  return std::optional(operations_.back().text);
}

Result<std::optional<LoggedOperation>> MemoryStore::operation_at(std::string_view ref,
                                                                 Timestamp time) const {
  const std::scoped_lock hold(mutex_);
  for (auto at = operations_.rbegin(); at != operations_.rend(); ++at) {
    if (at->parsed.time <= time && names_ref(at->parsed, ref)) return std::optional(at->text);
  }
  return std::optional<LoggedOperation>{};
}

Result<void> MemoryStore::sweep(const Sweep& sweep) {
  const std::scoped_lock turn(writers_);
  const std::scoped_lock hold(mutex_);
  if (sweep.checkpoint) {
    const auto at = std::find_if(operations_.begin(), operations_.end(), [&](const Logged& each) {
      return each.text.number == sweep.checkpoint->number;
    });
    if (at == operations_.end()) {
      return invalid("a checkpoint must replace an operation of the log");
    }
    Operation parsed = TRY(parse_operation(sweep.checkpoint->body));
    if (folded_.first == 0) folded_.first = operations_.front().text.number;
    const std::uint64_t end = folded_.first + folded_.names.size();
    for (auto each = operations_.begin(); each <= at; ++each) {
      if (each->text.number < end) continue;  // A checkpoint, whose name is there.
      folded_.names.push_back(chain_name(each->parsed, each->text.name));
    }
    *at = {*sweep.checkpoint, std::move(parsed)};
    operations_.erase(operations_.begin(), at);
    RefLog again;
    for (const Logged& each : operations_)
      again.apply(each.text.number, each.text.name, each.parsed);
    log_ = std::move(again);
  }
  for (const Oid& oid : sweep.objects) objects_.erase(oid);
  std::erase_if(loose_, [&](const auto& each) { return each.second < sweep.past; });
  ++erasures_;
  cached_.clear();
  return {};
}

Result<void> MemoryStore::compact() { return {}; }

void MemoryStore::set(Words& words, std::string_view key, const std::optional<std::string>& value) {
  if (value) {
    words.insert_or_assign(std::string(key), *value);
  } else if (const auto at = words.find(key); at != words.end()) {
    words.erase(at);
  }
}

Result<Properties> MemoryStore::properties(std::span<const std::string_view> keys) const {
  const std::scoped_lock hold(mutex_);
  Properties found{epoch(), erasures_, {}};
  for (const std::string_view key : keys) found.values.push_back(value_of(properties_, key));
  return found;
}

Result<std::optional<std::string>> MemoryStore::local(std::string_view key) const {
  const std::scoped_lock hold(mutex_);
  return value_of(local_, key);
}

Result<void> MemoryStore::set_local(std::string_view key, const std::optional<std::string>& value) {
  const std::scoped_lock turn(writers_);
  const std::scoped_lock hold(mutex_);
  set(local_, key, value);
  return {};
}

Result<std::optional<std::string>> MemoryStore::cached(std::string_view key) const {
  const std::scoped_lock hold(mutex_);
  return value_of(cached_, key);
}

Result<void> MemoryStore::put_cached(std::string_view key, std::string_view value) {
  const std::scoped_lock hold(mutex_);
  cached_.insert_or_assign(std::string(key), std::string(value));
  return {};
}

Result<std::vector<Store::Finding>> MemoryStore::check() const {
  return std::vector<Finding>{};  // No data is stored twice, so nothing can disagree.
}

Result<void> MemoryStore::rebuild() {
  const std::scoped_lock turn(writers_);
  const std::scoped_lock hold(mutex_);
  RefLog again;
  for (const Logged& each : operations_) again.apply(each.text.number, each.text.name, each.parsed);
  log_ = std::move(again);
  cached_.clear();
  return {};
}

}  // namespace spoor::store
