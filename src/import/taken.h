#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "import/report.h"

namespace spoor::import {

/// Does a value say nothing: missing, null, false, empty?
bool says_nothing(const json::Value& value);

/// What names something: a string's text, a number's digits; empty for anything else.
std::string word_of(const json::Value& value);

/// Which values of one record its turns hold. What an importer does not take is kept: so a key
/// that nobody knew when the importer was written is not lost. For values of one Document.
class Taken {
 public:
  /// Takes a value, with all that is in it, and hands it back. A missing one is passed over.
  json::Value operator()(const json::Value& value);

  /// Takes the member `key` of `object`.
  json::Value operator()(const json::Value& object, std::string_view key);

  /// A string's text, which is taken. Of any other value nothing: it stays.
  std::string text(const json::Value& value);
  std::string text(const json::Value& object, std::string_view key);

  /// What names something: a string's text or a number's digits, which are taken; else as text().
  std::string word(const json::Value& value);
  std::string word(const json::Value& object, std::string_view key);

  /// Is the member true? True and false are taken, any other value stays.
  bool flag(const json::Value& object, std::string_view key);

  bool has(const json::Value& value) const { return offsets_.contains(value.offset()); }

  /// Was something within this object or array taken?
  bool holds_taken(const json::Value& value) const;

  /// What was not taken: `root` without the values that were, and without members that say
  /// nothing; every other byte as it came. In an array that was taken in part, `null` stands in
  /// their places. Empty when nothing is left. The keys of `root` that stay are counted in
  /// `counts`; of `nested`, words, the keys within,
  /// and all of them as they are.
  std::string rest(const json::Value& root, LossReport::Counts& counts,
                   std::string_view nested = {}) const;

  /// The same with what says nothing: only what was taken is missing.
  std::string all_but_taken(const json::Value& root) const;

  /// Takes a value back, with all in it.
  void give_back(const json::Value& value) { offsets_.erase(value.offset()); }

 private:
  class Writer;

  std::set<std::size_t>
      offsets_;  // In the text of the record: values begin at places of their own.
};

}  // namespace spoor::import
