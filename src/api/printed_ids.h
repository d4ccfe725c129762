#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "store/oid.h"

namespace spoor::api {

/// The ids that the last listing of an interactive session printed, which the next line can call
/// @1, @2 and so on.
class PrintedIds {
 public:
  /// Begins a command: the first id that it prints begins a new list. A command that prints no id
  /// keeps the list.
  void begin_command() { is_stale_ = true; }

  /// Returns the number of an id that is being printed, from 1. An id that is printed again keeps
  /// its number.
  std::size_t number_of(const store::Oid& id) {
    if (is_stale_) ids_.clear(), numbers_.clear();
    is_stale_ = false;
    const auto [place, is_new] = numbers_.try_emplace(id, ids_.size() + 1);
    if (is_new) ids_.push_back(id);
    return place->second;
  }

  /// Returns the id of a number; nullopt if fewer were printed.
  std::optional<store::Oid> find(std::size_t number) const {
    if (number == 0 || number > ids_.size()) return std::nullopt;
    return ids_[number - 1];
  }

  std::size_t size() const { return ids_.size(); }

 private:
  std::vector<store::Oid> ids_;
  std::unordered_map<store::Oid, std::size_t> numbers_;
  bool is_stale_ = false;
};

}  // namespace spoor::api
