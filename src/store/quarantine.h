#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "store/store.h"

namespace spoor::store {

/// A store that holds new objects for another one, the *target*. Objects put here are kept in an
/// unnamed file, and the target does not change until a commit() that moves refs, or admit(),
/// copies all of them there. Reads see both. For objects of foreign origin: put, verify, and only
/// then admit. A quarantine that is dropped, or whose process is killed, leaves nothing.
///
/// Properties and facts set here are visible only here and never admitted. Nothing is cached; calls
/// that remove objects are Code::invalid. Safe to call from any thread. Takes about a hundred bytes
/// of memory per object held.
class Quarantine final : public Store {
 public:
  /// `behind`, the target, must outlive the quarantine. Creates the unnamed file in `folder`.
  /// Code::io if that fails.
  static Result<std::unique_ptr<Quarantine>> open(Store& behind, const std::string& folder);
  ~Quarantine() override;

  /// Copies all held objects to the target, without moving refs: for objects that its refs reach
  /// already. One change; errors as commit().
  Result<void> admit();

  /// Holds the objects of a change that moves no refs. Otherwise copies all held objects to the
  /// target and moves its refs, as one change; Code::not_found, storing nothing, if gc has removed
  /// an object that was found through this quarantine.
  Result<Receipt> commit(const Transaction& transaction) override;

  Result<std::vector<Oid>> loose(std::uint64_t since) const override;
  Result<std::vector<std::optional<Object>>> get(std::span<const Oid> oids) const override;
  Result<std::vector<bool>> has(std::span<const Oid> oids) const override;
  Result<std::vector<Oid>> find(std::string_view prefix, Kind kind,
                                std::size_t limit) const override;
  Result<void> scan(const ScanVisitor& visit) const override;
  bool has_lanes() const override { return behind_.has_lanes(); }
  Result<std::vector<Ref>> refs(std::string_view prefix) const override;
  Result<std::optional<Oid>> ref(std::string_view name) const override;
  Result<void> exclusive(const std::function<Result<void>()>& body) override;
  Result<std::vector<LoggedOperation>> operations(std::uint64_t after,
                                                  std::size_t limit) const override;
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
  struct StoredRange {
    std::uint64_t at = 0;
    std::uint64_t size = 0;
    Kind kind = Kind::blob;
  };

  Quarantine(Store& behind, int file) : behind_(behind), file_(file) {}
  Result<Object> read(const StoredRange& place) const;
  Result<std::vector<NewObject>> next_part(std::size_t& done) const;
  std::vector<Oid> held_tombstones() const;
  Result<void> hold(std::span<const NewObject> objects);
  Result<Receipt> pass_on(Transaction change);

  Store& behind_;
  const int file_;
  mutable std::mutex mutex_;  // Guards all below.
  std::uint64_t end_ = 0;     // The end of the file.
  std::unordered_map<Oid, StoredRange> places_;
  std::vector<Oid> order_;                    // In the order put.
  mutable std::unordered_set<Oid> borrowed_;  // Objects found in the target.
  using Words = std::map<std::string, std::optional<std::string>, std::less<>>;
  Words properties_;
  Words local_;
};

}  // namespace spoor::store
