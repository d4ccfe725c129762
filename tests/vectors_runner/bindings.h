#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/vectors_runner/json.h"

namespace spoor::vectors {

/// What the ops of a vector bound to names, and the references to it:
/// `$name`, then any of `.field` and `[index]`, then perhaps `[:n]`.
class Bindings {
 public:
  void bind(const std::string& name, Json value) { values_[name] = std::move(value); }
  const Json* find(const std::string& name) const;

  /// `text` with every reference in it replaced. Throws BadVector when one names
  /// nothing, or no text.
  std::string replace_all(std::string_view text) const;

  /// An op with the references of its revision fields replaced, at any depth of
  /// these fields; other fields are untouched.
  Json replace_in_op(const Json& op) const;

  /// An expected value: a string that is wholly a reference becomes the bound
  /// value, `$$` at its start a literal `$`; at any depth.
  Json expected(const Json& value) const;

 private:
  std::map<std::string, Json> values_;
};

/// The value at a path below `root`; null when there is none such.
const Json* find_step(const Json& root, const Json& step);

}  // namespace spoor::vectors
