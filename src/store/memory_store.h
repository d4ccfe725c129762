#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "store/ref_log.h"
#include "store/store.h"
#include "store/writer_queue.h"

namespace spoor::store {

/// A Store in memory, for tests and for `--dry-run`. Visitors run without a lock held, so they may
/// call the store again.
class MemoryStore final : public Store {
 public:
  Result<std::vector<Oid>> loose(std::uint64_t since) const override;
  Result<std::vector<std::optional<Object>>> get(std::span<const Oid> oids) const override;
  Result<std::vector<bool>> has(std::span<const Oid> oids) const override;
  Result<std::vector<Oid>> find(std::string_view prefix, Kind kind,
                                std::size_t limit) const override;
  Result<void> scan(const ScanVisitor& visit) const override;
  Result<std::vector<Ref>> refs(std::string_view prefix) const override;
  Result<std::optional<Oid>> ref(std::string_view name) const override;
  Result<Receipt> commit(const Transaction& transaction) override;
  Result<void> exclusive(const std::function<Result<void>()>& body) override;
  Result<std::vector<LoggedOperation>> operations(std::uint64_t after,
                                                  std::size_t limit) const override;
  Result<OperationNames> folded_names() const override;
  Result<std::optional<LoggedOperation>> newest_operation() const override;
  Result<std::optional<LoggedOperation>> operation_at(std::string_view ref,
                                                      Timestamp time) const override;
  Result<void> sweep(const Sweep& sweep) override;
  Result<void> compact() override;
  Result<Properties> properties(std::span<const std::string_view> keys) const override;
  Result<std::optional<std::string>> local(std::string_view key) const override;
  Result<void> set_local(std::string_view key, const std::optional<std::string>& value) override;
  Result<std::optional<std::string>> cached(std::string_view key) const override;
  Result<void> put_cached(std::string_view key, std::string_view value) override;
  Result<std::vector<Finding>> check() const override;
  Result<void> rebuild() override;

 private:
  struct Logged {
    LoggedOperation text;
    Operation parsed;
  };
  using Words = std::map<std::string, std::string, std::less<>>;

  Result<void> check_required(const Transaction& transaction) const;
  std::uint64_t epoch() const { return erasures_ + property_changes_; }
  void set(Words& words, std::string_view key, const std::optional<std::string>& value);

  WriterQueue writers_;                 // Locked before mutex_ to change objects or refs.
  mutable std::mutex mutex_;            // Guards all below.
  std::map<Oid, Object> objects_;       // Ordered, for find().
  std::map<Oid, std::uint64_t> loose_;  // Put roots, with the newest operation at that time.
  std::vector<Logged> operations_;      // In order of number, without gaps.
  OperationNames folded_;
  RefLog log_;
  std::uint64_t erasures_ = 0;
  std::uint64_t property_changes_ = 0;
  Words properties_;
  Words local_;
  Words cached_;
};

}  // namespace spoor::store
