#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "import/record_key.h"

namespace spoor::import {

/// Numbers by name, of the names set last; older ones are forgotten, so that a
/// source of any length needs no more.
class RecentNames {
 public:
  static constexpr std::size_t kMost = 16'384;

  void set(std::string_view name, std::uint32_t number);
  std::optional<std::uint32_t> find(std::string_view name) const;

 private:
  std::unordered_map<RecordKey, std::uint32_t> numbers_;
  std::deque<RecordKey> order_;  // Each key once, the oldest first.
};

}  // namespace spoor::import
