#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/oid.h"

namespace spoor::import {

/// A message that a model was given, and what is after its turns.
struct GivenMessage {
  struct Call {
    std::string id;
    std::string name;
    bool is_named = false;  ///< by the source
  };

  std::string role;
  std::string message;  ///< byte for byte; empty: it cannot be skipped
  store::Oid tip;
  std::vector<Call> open;
  int made = 0;
  std::uint64_t met = 0;              ///< of its turns, for the report
  std::vector<std::string> turns;     ///< their types
  std::vector<std::string> answered;  ///< the calls whose results they are
  bool is_behind_front = false;       ///< the model has answered in this message or before it
};

/// The messages of the last call of each conversation. The next call repeats them, so their turns
/// need not be made again. For one thread.
class GivenMessages {
 public:
  /// Returns the messages of a conversation, and forgets them; empty if there are none.
  std::vector<GivenMessage> take(const std::string& conversation) {
    const auto node = conversations_.extract(conversation);
    if (!node) return {};
    bytes_ -= size_of(node.mapped());
    return std::move(node.mapped());
  }

  void put(const std::string& conversation, std::vector<GivenMessage> messages) {
    constexpr std::size_t kMost = 64U << 20U;
    take(conversation);
    if (bytes_ > kMost) {
      conversations_.clear();
      bytes_ = 0;
    }
    bytes_ += size_of(messages);
    conversations_.emplace(conversation, std::move(messages));
  }

 private:
  static std::size_t size_of(const std::vector<GivenMessage>& messages) {
    std::size_t size = 0;
    for (const GivenMessage& each : messages) size += sizeof each + each.message.size();
    return size;
  }

  std::unordered_map<std::string, std::vector<GivenMessage>> conversations_;
  std::size_t bytes_ = 0;
};

}  // namespace spoor::import
