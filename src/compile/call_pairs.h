#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compile/state.h"

namespace spoor::compile {

/// Tells which messages stay or go together: a tool's results belong to the latest
/// message before them that made a call of their id. Everything that drops or
/// replaces messages goes by whole pieces, since no provider takes half a pair.
///
/// The entries must outlive it.
class CallPairs {
 public:
  /// The next message in prompt order is made of these entries. Returns its piece:
  /// the number, from 0 on, of the first message that belongs to it.
  std::size_t add(std::span<const Entry* const> message);

 private:
  std::vector<std::size_t> pieces_;                            // Of each message so far.
  std::unordered_map<std::string_view, std::size_t> callers_;  // Call id to the latest message.
};

}  // namespace spoor::compile
