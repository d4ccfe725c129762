#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compile/state.h"

namespace spoor::compile {

/// Determines which messages must be kept or dropped together: a tool's results belong to the
/// latest earlier message that contains a call with their id. Code that drops or replaces messages
/// must treat a whole piece alike, since no provider accepts half a pair.
///
/// The entries must outlive it.
class CallPairs {
 public:
  /// Adds the next message in prompt order, made of these entries. Returns its piece: the number of
  /// the piece's first message, counted from 0.
  std::size_t add(std::span<const Entry* const> message);

 private:
  std::vector<std::size_t> pieces_;                            // The piece of each message so far.
  std::unordered_map<std::string_view, std::size_t> callers_;  // Call id to the latest message.
};

}  // namespace spoor::compile
