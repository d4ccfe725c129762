#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "base/result.h"
#include "compile/fact.h"

namespace spoor::compile {

/// The machine facts of a commit, read in place: for whoever reads those of many commits and wants
/// a few of each. It says what read_facts() (turn.h) says. Refilled for the next commit, it keeps
/// its memory.
class FactsView {
 public:
  /// `meta` must stay where it is while this is asked. Code::corrupt when it is no JSON object.
  Result<void> read(std::string_view meta);

  /// The JSON of a fact, whatever its type; missing when there is none.
  json::Value json(const fact::Key& key) const { return facts_.root().find(key.key); }

  /// Empty, nothing or false when there is none, or it is of another type.
  std::string get(const fact::Text& key) const { return json(key).text(); }
  std::optional<std::int64_t> get(const fact::Integer& key) const { return json(key).integer(); }
  bool get(const fact::Flag& key) const { return json(key).is_true(); }

  bool has(const fact::Key& key) const { return static_cast<bool>(json(key)); }

  /// Is it the string `text`, which is not empty?
  bool says(const fact::Text& key, std::string_view text) const { return json(key).equals(text); }

 private:
  json::Document facts_;
};

}  // namespace spoor::compile
