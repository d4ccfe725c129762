#include "store/as_of.h"

#include <algorithm>

#include "store/operation_walk.h"
#include "store/ref_log.h"

namespace spoor::store {
namespace {

Error only_seen() {
  return invalid("the store is opened read-only, as of an earlier operation",
                 "omit --at-op to write");
}

class StoreAsOf final : public Store {
 public:
  StoreAsOf(std::unique_ptr<Store> store, RefLog log, LoggedOperation newest)
      : store_(std::move(store)), log_(std::move(log)), newest_(std::move(newest)) {}

  Result<std::vector<std::optional<Object>>> get(std::span<const Oid> oids) const override {
    return store_->get(oids);
  }
  Result<std::vector<bool>> has(std::span<const Oid> oids) const override {
    return store_->has(oids);
  }
  Result<std::vector<Oid>> find(std::string_view prefix, Kind kind,
                                std::size_t limit) const override {
    return store_->find(prefix, kind, limit);
  }
  Result<void> run(const Oid& from, std::size_t count, std::size_t contents,
                   const RunVisitor& visit) const override {
    return store_->run(from, count, contents, visit);
  }
  Result<void> follow(const Oid& from, std::uint64_t steps,
                      const RunVisitor& visit) const override {
    return store_->follow(from, steps, visit);
  }
  Result<void> scan(const ScanVisitor& visit) const override { return store_->scan(visit); }
  Result<Properties> properties(std::span<const std::string_view> keys) const override {
    return store_->properties(keys);
  }
  Result<std::optional<std::string>> local(std::string_view key) const override {
    return store_->local(key);
  }
  Result<std::optional<std::string>> cached(std::string_view key) const override {
    return store_->cached(key);
  }
  Result<void> put_cached(std::string_view key, std::string_view value) override {
    return store_->put_cached(key, value);
  }
  Result<std::vector<Finding>> check() const override { return store_->check(); }

  Result<std::uint64_t> size() const override { return store_->size(); }
  bool has_lanes() const override { return store_->has_lanes(); }
  Result<std::vector<Ref>> refs(std::string_view prefix) const override {
    return log_.refs_with_prefix(prefix);
  }
  Result<std::optional<Oid>> ref(std::string_view name) const override { return log_.ref(name); }
  Result<OperationNames> folded_names() const override { return store_->folded_names(); }
  Result<std::optional<LoggedOperation>> newest_operation() const override {
    return std::optional(newest_);
  }
  Result<std::vector<LoggedOperation>> operations(std::uint64_t after,
                                                  std::size_t limit) const override {
    if (after >= newest_.number) return std::vector<LoggedOperation>();
    const auto left = static_cast<std::size_t>(newest_.number - after);
    auto some = TRY(store_->operations(after, std::min(limit, left)));
    std::erase_if(some, [this](const auto& each) { return each.number > newest_.number; });
    return some;
  }
  Result<std::optional<LoggedOperation>> operation_at(std::string_view ref,
                                                      Timestamp time) const override {
    std::optional<LoggedOperation> found;
    TRY(walk_operations(*this, [&](const LoggedOperation& logged) -> Result<bool> {
      const Operation operation = TRY(parse_operation(logged.body));
      if (operation.time > time || !names_ref(operation, ref)) return true;
      found = logged;
      return false;
    }));
    return found;
  }

  Result<Receipt> commit(const Transaction& /*transaction*/) override { return only_seen(); }
  Result<void> exclusive(const std::function<Result<void>()>& /*body*/) override {
    return only_seen();
  }
  Result<void> set_local(std::string_view /*key*/,
                         const std::optional<std::string>& /*value*/) override {
    return only_seen();
  }
  Result<void> rebuild() override { return only_seen(); }
  Result<std::vector<Oid>> loose(std::uint64_t /*since*/) const override { return only_seen(); }
  Result<void> sweep(const Sweep& /*sweep*/) override { return only_seen(); }
  Result<void> compact() override { return only_seen(); }
  Result<bool> upgrade() override { return only_seen(); }

 private:
  std::unique_ptr<Store> store_;
  RefLog log_;
  LoggedOperation newest_;
};

}  // namespace

Result<std::unique_ptr<Store>> as_of(std::unique_ptr<Store> store, std::string_view operation) {
  LoggedOperation newest = TRY(find_operation(*store, operation));
  RefLog log;
  while (log.number() < newest.number) {
    constexpr std::size_t kAtOnce = 1'000;
    const auto some = TRY(verified_operations(*store, log.number(), kAtOnce));
    if (some.empty()) return corrupt("the operation log breaks off", "run 'spoor store fsck'");
    for (const LoggedOperation& each : some) {
      if (each.number > newest.number) break;
      log.apply(each.number, each.name, TRY(parse_operation(each.body)));
    }
  }
  return std::unique_ptr<Store>(
      std::make_unique<StoreAsOf>(std::move(store), std::move(log), std::move(newest)));
}

}  // namespace spoor::store
