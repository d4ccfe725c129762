#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "import/report.h"

namespace spoor::import {

/// Returns true if a value is empty: missing, null, false, `""`, `[]` or `{}`.
bool says_nothing(const json::Value& value);

/// Returns a string's text or a number's digits; empty for anything else.
std::string word_of(const json::Value& value);

/// The values of one record that its turns contain. Values that an importer does not take are kept,
/// so keys that were unknown when the importer was written are not lost. For values of one
/// Document.
class Taken {
 public:
  /// Takes a value and everything in it, and returns it. Ignores a missing value.
  json::Value operator()(const json::Value& value);

  /// Takes the member `key` of `object`.
  json::Value operator()(const json::Value& object, std::string_view key);

  /// Takes a string and returns its text. Any other value is not taken; returns an empty string.
  std::string text(const json::Value& value);
  std::string text(const json::Value& object, std::string_view key);

  /// Takes a string or a number and returns its text or digits. Ignores any other value, as text().
  std::string word(const json::Value& value);
  std::string word(const json::Value& object, std::string_view key);

  /// Returns true if the member is true. Takes true and false; any other value stays.
  bool flag(const json::Value& object, std::string_view key);

  bool has(const json::Value& value) const { return offsets_.contains(value.offset()); }

  /// Returns true if a value inside this object or array was taken.
  bool holds_taken(const json::Value& value) const;

  /// Returns `root` without the values that were taken and without empty members; all other bytes
  /// are unchanged. In an array that was taken in part, `null` replaces the taken elements. Empty
  /// if nothing is left. Counts the keys of `root` that stay in `counts`. `nested` is a list of
  /// words: if it is not empty, keys are counted unchanged, and for a key in `nested` its inner
  /// keys are counted instead.
  std::string rest(const json::Value& root, LossReport::Counts& counts,
                   std::string_view nested = {}) const;

  /// Returns the same, but keeps empty members: only taken values are missing.
  std::string all_but_taken(const json::Value& root) const;

  /// Undoes taking a value and everything in it.
  void give_back(const json::Value& value) { offsets_.erase(value.offset()); }

 private:
  class Writer;

  std::set<std::size_t> offsets_;  // By position in the record's text.
};

}  // namespace spoor::import
