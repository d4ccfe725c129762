#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"

namespace spoor::import {

/// The front of a JSON text made whole: cut back to its last finished value, or within the string
/// that it ends in, its open arrays and objects closed. Empty when there is none. For looking at a
/// source before all of it is here.
std::string closed_front(std::string_view text);

/// What a source begins with, parsed once for all importers that are asked for their score. A byte
/// order mark is passed over. For one thread.
class Head {
 public:
  /// `bytes` are borrowed: the first of a source, or all of it.
  explicit Head(std::string_view bytes);
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;

  /// Without a byte order mark.
  std::string_view bytes() const { return bytes_; }

  /// The first value, or its front as closed_front() makes it; missing if the source does not begin
  /// with JSON.
  json::Value first() const { return first_; }

  /// True if the first value does not end within the head.
  bool is_torn() const { return is_torn_; }

  /// True if something other than white space follows the first value.
  bool has_more() const { return !rest_.empty(); }

  /// What follows the first value; empty if it is torn, or if there is none.
  std::string_view rest() const { return rest_; }

  /// The first values, at most 50, whether one a line or glued together; of one that the end of the
  /// head cuts off its front. What cannot be read is passed over, with the rest of its line.
  const std::vector<json::Value>& records() const { return records_; }

  /// True if one of the records is as `is_it` says. So a record of a kind
  /// that nobody knows, in front of the others, does not hide a format.
  bool contains(bool (*is_it)(const json::Value& record)) const;

  /// True if at least half of the records are as `is_it` says.
  bool is_mostly(bool (*is_it)(const json::Value& record)) const;

 private:
  void read_records();

  std::string_view bytes_;
  std::string front_;  // What the last value borrows if it is torn.
  std::deque<json::Document> documents_;
  json::Value first_;
  std::vector<json::Value> records_;
  bool is_torn_ = false;
  std::string_view rest_;
};

}  // namespace spoor::import
