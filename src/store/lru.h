#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

#include "store/oid.h"

namespace spoor::store {

/// A cache of the most recently used values by name, up to a total cost. Not thread-safe: the owner
/// holds a mutex.
template <class Value>
class Lru {
 public:
  explicit Lru(std::size_t capacity) : capacity_(capacity) {}

  /// Returns the value or null, and marks it as used.
  std::shared_ptr<const Value> get(const Oid& oid) {
    const auto found = index_.find(oid);
    if (found == index_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return found->second->value;
  }

  /// Adds `value` with `cost`, and drops the least recently used values if the cache is full.
  void put(const Oid& oid, std::shared_ptr<const Value> value, std::size_t cost) {
    if (cost > capacity_ / 4 || index_.contains(oid)) return;
    order_.push_front({oid, std::move(value), cost});
    index_.emplace(oid, order_.begin());
    used_ += cost;
    while (used_ > capacity_) {
      used_ -= order_.back().cost;
      index_.erase(order_.back().oid);
      order_.pop_back();
    }
  }

  void clear() {
    order_.clear();
    index_.clear();
    used_ = 0;
  }

 private:
  struct Item {
    Oid oid;
    std::shared_ptr<const Value> value;
    std::size_t cost;
  };
  std::size_t capacity_;
  std::size_t used_ = 0;
  std::list<Item> order_;  // Most recently used first.
  std::unordered_map<Oid, typename std::list<Item>::iterator> index_;
};

}  // namespace spoor::store
