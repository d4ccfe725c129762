#pragma once

#include "store/store.h"

namespace spoor::testing {

using store::Oid;

/// Passes every call on to another store. A test overrides the calls that it is about.
class PassingStore : public store::Store {
 public:
  Result<std::vector<Oid>> loose(std::uint64_t since) const override { return on().loose(since); }
  Result<std::vector<std::optional<store::Object>>> get(std::span<const Oid> oids) const override {
    return on().get(oids);
  }
  Result<std::vector<bool>> has(std::span<const Oid> oids) const override { return on().has(oids); }
  Result<std::vector<Oid>> find(std::string_view prefix, store::Kind kind,
                                std::size_t limit) const override {
    return on().find(prefix, kind, limit);
  }
  Result<void> run(const Oid& from, std::size_t count, std::size_t contents,
                   const RunVisitor& visit) const override {
    return on().run(from, count, contents, visit);
  }
  Result<void> follow(const Oid& from, std::uint64_t steps,
                      const RunVisitor& visit) const override {
    return on().follow(from, steps, visit);
  }
  Result<void> scan(const ScanVisitor& visit) const override { return on().scan(visit); }
  bool has_lanes() const override { return on().has_lanes(); }
  Result<std::vector<store::Ref>> refs(std::string_view prefix) const override {
    return on().refs(prefix);
  }
  Result<std::optional<Oid>> ref(std::string_view name) const override { return on().ref(name); }
  Result<store::Receipt> commit(const store::Transaction& transaction) override {
    return on().commit(transaction);
  }
  Result<void> exclusive(const std::function<Result<void>()>& body) override {
    return on().exclusive(body);
  }
  Result<std::vector<store::LoggedOperation>> operations(std::uint64_t after,
                                                         std::size_t limit) const override {
    return on().operations(after, limit);
  }
  Result<store::OperationNames> folded_names() const override { return on().folded_names(); }
  Result<std::optional<store::LoggedOperation>> newest_operation() const override {
    return on().newest_operation();
  }
  Result<std::optional<store::LoggedOperation>> operation_at(std::string_view ref,
                                                             Timestamp time) const override {
    return on().operation_at(ref, time);
  }
  Result<void> sweep(const store::Sweep& sweep) override { return on().sweep(sweep); }
  Result<void> compact() override { return on().compact(); }
  Result<store::Properties> properties(std::span<const std::string_view> keys) const override {
    return on().properties(keys);
  }
  Result<std::optional<std::string>> local(std::string_view key) const override {
    return on().local(key);
  }
  Result<void> set_local(std::string_view key, const std::optional<std::string>& value) override {
    return on().set_local(key, value);
  }
  Result<std::optional<std::string>> cached(std::string_view key) const override {
    return on().cached(key);
  }
  Result<void> put_cached(std::string_view key, std::string_view value) override {
    return on().put_cached(key, value);
  }
  Result<std::vector<Finding>> check() const override { return on().check(); }
  Result<void> rebuild() override { return on().rebuild(); }

 private:
  /// Returns the store that answers; called for each call.
  virtual store::Store& on() const = 0;
};

}  // namespace spoor::testing
