#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"

namespace spoor::import {

/// Returns the front of a JSON text as complete JSON: cut after its last finished value or inside
/// its last string, with open arrays and objects closed. Empty if it contains no value. Used to
/// inspect a source before it is read to the end.
std::string closed_front(std::string_view text);

/// The beginning of a source, parsed once for the score() of all importers. Skips a byte order
/// mark. For one thread.
class Head {
 public:
  /// Borrows `bytes`: the first bytes of a source, or all of it.
  explicit Head(std::string_view bytes);
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;

  /// Without a byte order mark.
  std::string_view bytes() const { return bytes_; }

  /// Returns the first value, or its front as closed_front() returns it; missing if the source does
  /// not begin with JSON.
  json::Value first() const { return first_; }

  /// True if the first value does not end within the head.
  bool is_torn() const { return is_torn_; }

  /// True if something other than white space follows the first value.
  bool has_more() const { return !rest_.empty(); }

  /// Returns the text after the first value; empty if that value is torn or missing.
  std::string_view rest() const { return rest_; }

  /// Returns the first values, at most 50, one per line or glued together. If the head ends within
  /// a value, its front is included. Unreadable text is skipped with the rest of its line.
  const std::vector<json::Value>& records() const { return records_; }

  /// Returns true if `is_it` accepts one of the records. So unknown records before the others do
  /// not hide a format.
  bool contains(bool (*is_it)(const json::Value& record)) const;

  /// Returns true if `is_it` accepts at least half of the records.
  bool is_mostly(bool (*is_it)(const json::Value& record)) const;

 private:
  void read_records();

  std::string_view bytes_;
  std::string front_;  // Borrowed by the last value if that is torn.
  std::deque<json::Document> documents_;
  json::Value first_;
  std::vector<json::Value> records_;
  bool is_torn_ = false;
  std::string_view rest_;
};

}  // namespace spoor::import
