#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "compile/state.h"

namespace spoor::compile {

/// Numbers the messages of a prompt. Entries with equal numbers are the records of one provider
/// message, according to `message_id` and the version of the fold.
///
/// Takes every entry of a state in prompt order, shown or not, so that options and priorities do
/// not change which entries are joined. The entries must outlive it.
class MessageNumbers {
 public:
  explicit MessageNumbers(std::uint32_t version) : version_(version) {}

  /// Returns the number of the message of `entry`. Numbers count from 0.
  std::uint32_t number(const Entry& entry);

  /// States that the next entry continues no earlier message.
  void begin_message() { open_id_ = {}; }

  std::uint32_t size() const { return size_; }

 private:
  std::uint32_t number_by_id(const Entry& entry);
  std::uint32_t number_within_answer(const Entry& entry);

  std::uint32_t version_;
  std::uint32_t size_ = 0;
  std::unordered_map<std::string_view, std::uint32_t> by_id_;  // Version 1.

  // Version 2: the message that the next entry may continue.
  std::string_view open_id_;  // Empty: none.
  std::uint32_t open_ = 0;
  std::unordered_set<std::string_view> open_calls_;  // The ids of its calls so far.
};

}  // namespace spoor::compile
