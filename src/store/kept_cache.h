#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace spoor::store {

/// Derived data kept in a store (Store::put_cached), and believed only under its user's key.
///
/// Whoever can write to the file can write a row of the cache, so each value begins with its
/// HMAC-SHA-256 (RFC 2104) under a key that is not in the store. A value without the right one is
/// as good as absent. Without a key nothing is kept and nothing is found.
///
/// Safe to call from any thread.
class KeptCache {
 public:
  /// Returns the key, 32 bytes, or nothing if there is none. Called at most once, at the first
  /// use, from any thread.
  using FindKey = std::function<std::string()>;

  /// `store` must outlive the cache. `find_key` may be empty.
  KeptCache(Store& store, FindKey find_key) : store_(store), find_key_(std::move(find_key)) {}

  /// Returns whether there is a key.
  bool is_usable() const;

  /// Returns the value kept under `name`; nullopt if there is none, if it was altered, or if the
  /// store cannot be read: the caller derives it again then.
  std::optional<std::string> find(std::string_view name) const;

  /// Keeps a value. Does nothing if the store cannot be written, or another writer holds it: it can
  /// still be read. After the first failure, or once puts took half a second together, nothing more
  /// is tried: who only reads must not wait for writers.
  void put(std::string_view name, std::string_view value) const;

 private:
  const std::string& key() const;

  Store& store_;
  const FindKey find_key_;
  mutable std::once_flag once_;
  mutable std::string key_;  // Written once.
  mutable std::atomic<bool> has_failed_ = false;
  mutable std::atomic<std::chrono::steady_clock::rep> spent_ = 0;  // On puts.
};

}  // namespace spoor::store
