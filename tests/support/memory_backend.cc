#include <algorithm>
#include <map>

#include "store/memory_store.h"
#include "tests/support/backend.h"

namespace spoor::testing {
namespace {

using store::Object;
using store::Oid;

// What lies under the open stores, and the lies told about it.
struct Shared {
  store::MemoryStore truth;
  std::map<Oid, std::optional<Object>> objects;
  std::map<std::string, Oid> refs;
};

/// A MemoryStore that can be closed, opened again and forged. For one thread.
class ForgeableStore final : public store::Store {
 public:
  explicit ForgeableStore(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  Result<std::vector<std::optional<Object>>> get(std::span<const Oid> oids) const override {
    auto found = TRY(shared_->truth.get(oids));
    for (std::size_t i = 0; i < oids.size(); ++i) {
      if (const auto lie = shared_->objects.find(oids[i]); lie != shared_->objects.end()) {
        found[i] = lie->second;
      }
    }
    return found;
  }

  Result<std::vector<bool>> has(std::span<const Oid> oids) const override {
    std::vector<bool> found;
    for (const auto& object : TRY(get(oids))) found.push_back(object.has_value());
    return found;
  }

  Result<void> scan(const ScanVisitor& visit) const override {
    return shared_->truth.scan([&](const store::StoredObject& stored) {
      const auto lie = shared_->objects.find(stored.oid);
      if (lie == shared_->objects.end()) return visit(stored);
      return !lie->second || visit({stored.oid, *lie->second});
    });
  }

  Result<std::vector<store::Ref>> refs(std::string_view prefix) const override {
    auto found = TRY(shared_->truth.refs(prefix));
    for (store::Ref& ref : found) {
      if (const auto lie = shared_->refs.find(ref.name); lie != shared_->refs.end()) {
        ref.target = lie->second;
      }
    }
    return found;
  }

  Result<std::optional<Oid>> ref(std::string_view name) const override {
    if (const auto lie = shared_->refs.find(std::string(name)); lie != shared_->refs.end()) {
      return std::optional(lie->second);
    }
    return shared_->truth.ref(name);
  }

  Result<std::vector<Oid>> find(std::string_view prefix, store::Kind kind,
                                std::size_t limit) const override {
    return shared_->truth.find(prefix, kind, limit);
  }
  Result<store::Receipt> commit(const store::Transaction& transaction) override {
    return shared_->truth.commit(transaction);
  }
  Result<void> exclusive(const std::function<Result<void>()>& body) override {
    return shared_->truth.exclusive(body);
  }
  Result<std::vector<store::LoggedOperation>> operations(std::uint64_t after,
                                                         std::size_t limit) const override {
    return shared_->truth.operations(after, limit);
  }
  Result<std::optional<store::LoggedOperation>> newest_operation() const override {
    return shared_->truth.newest_operation();
  }
  Result<std::optional<store::LoggedOperation>> operation_at(std::string_view ref,
                                                             Timestamp time) const override {
    return shared_->truth.operation_at(ref, time);
  }
  Result<std::vector<Oid>> loose(std::uint64_t since) const override {
    return shared_->truth.loose(since);
  }
  Result<void> sweep(const store::Sweep& sweep) override { return shared_->truth.sweep(sweep); }
  Result<void> compact() override { return shared_->truth.compact(); }
  Result<store::Properties> properties(std::span<const std::string_view> keys) const override {
    return shared_->truth.properties(keys);
  }
  Result<std::optional<std::string>> local(std::string_view key) const override {
    return shared_->truth.local(key);
  }
  Result<void> set_local(std::string_view key, const std::optional<std::string>& value) override {
    return shared_->truth.set_local(key, value);
  }
  Result<std::optional<std::string>> cached(std::string_view key) const override {
    return shared_->truth.cached(key);
  }
  Result<void> put_cached(std::string_view key, std::string_view value) override {
    return shared_->truth.put_cached(key, value);
  }
  Result<std::vector<Finding>> check() const override { return shared_->truth.check(); }
  Result<void> rebuild() override { return shared_->truth.rebuild(); }

 private:
  std::shared_ptr<Shared> shared_;
};

class MemoryBackend final : public Backend {
 public:
  std::string name() const override { return "memory"; }

  Result<std::unique_ptr<store::Store>> create() override {
    shared_ = std::make_shared<Shared>();
    return open();
  }

  Result<std::unique_ptr<store::Store>> open() override {
    return std::unique_ptr<store::Store>(std::make_unique<ForgeableStore>(shared_));
  }

  Result<void> forge(const Forgery& forgery) override {
    shared_->objects[forgery.oid] = forgery.object;
    return {};
  }

  Result<void> forge_branch(const std::string& name, const Oid& to) override {
    shared_->refs[store::branch_ref(name)] = to;
    return {};
  }

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace

std::unique_ptr<Backend> memory_backend() { return std::make_unique<MemoryBackend>(); }

}  // namespace spoor::testing
