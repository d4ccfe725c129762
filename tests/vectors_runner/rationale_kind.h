#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/rationale.h"
#include "tests/vectors_runner/fields.h"

namespace spoor::vectors {

/// A kind of rationale vector (format `spoor-rationale-1`): the fields it has, which are checked
/// before it is played, and how it is played. To add one: a file of its own that defines it, and a
/// line in the table of rationale_format.cc.
struct RationaleKind {
  std::string_view name;  ///< as a vector's `kind` has it
  Names input_required;
  Names input_optional;
  Names expect_required;
  Names expect_optional;
  /// One line for each thing that differs; none: it passed.
  std::vector<std::string> (*play)(const Json& input, const Json& expect);
};

extern const RationaleKind kAssumptionsKind;
extern const RationaleKind kBlocksKind;
extern const RationaleKind kCallsKind;
extern const RationaleKind kDebriefKind;
extern const RationaleKind kValidateKind;

/// A rationale as vectors have it.
Json json_of(const agent::Rationale& rationale);

/// Adds a line to `problems` unless the two are equal.
void compare(std::vector<std::string>& problems, const std::string& what, const Json& expected,
             const Json& got);

/// The text at `key`, or an empty one.
std::string text_at(const Json& object, const char* key);

}  // namespace spoor::vectors
