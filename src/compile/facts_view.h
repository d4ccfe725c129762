#pragma once

#include <string>
#include <string_view>

#include "compile/json/reader.h"
#include "store/result.h"

namespace spoor::compile {

/// The machine facts of a commit, read in place: for whoever reads those of many commits and wants
/// a few of each. It says what read_facts() (turn.h) says. Refilled for the next commit, it keeps
/// its memory.
class FactsView {
 public:
  /// `meta` must stay where it is while this is asked. Code::corrupt when it is no JSON object.
  store::Result<void> read(std::string_view meta);

  /// The JSON under `key`; missing when there is none.
  json::Value json(std::string_view key) const { return facts_.root().find(key); }

  /// The string under `key`; empty when there is none, or it is no string.
  std::string text(std::string_view key) const { return json(key).text(); }

  /// Is it the string `text`, which is not empty?
  bool says(std::string_view key, std::string_view text) const { return json(key).equals(text); }

 private:
  json::Document facts_;
};

}  // namespace spoor::compile
