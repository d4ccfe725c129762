#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "base/result.h"
#include "compile/fact.h"

namespace spoor::compile {

/// Reads the machine facts of a commit in place, with the same results as read_facts() (turn.h).
/// For reading a few facts of many commits: it keeps its memory when it is refilled.
class FactsView {
 public:
  /// `meta` must not move while this is used. Code::corrupt if it is not a JSON object.
  Result<void> read(std::string_view meta);

  /// Returns the JSON of a fact of any type; missing if there is none.
  json::Value json(const fact::Key& key) const { return facts_.root().find(key.key); }

  /// Return empty, nullopt or false if the fact is missing or of another type.
  std::string get(const fact::Text& key) const { return json(key).text(); }
  std::optional<std::int64_t> get(const fact::Integer& key) const { return json(key).integer(); }
  bool get(const fact::Flag& key) const { return json(key).is_true(); }

  bool has(const fact::Key& key) const { return static_cast<bool>(json(key)); }

  /// Returns true if the fact is the string `text`, which must not be empty.
  bool says(const fact::Text& key, std::string_view text) const { return json(key).equals(text); }

 private:
  json::Document facts_;
};

}  // namespace spoor::compile
