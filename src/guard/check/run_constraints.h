#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard/check/constraints.h"

namespace spoor::guard::check {

/// What a run was asked to keep to, as its request said it. It is kept with the run's options, so
/// that events carry it and a run that goes on is held to the same.
struct RunConstraints {
  std::string file;                ///< the text of a file of constraints; empty: none
  std::vector<std::string> texts;  ///< what was typed, see constraint_from_text()
  bool is_enforced = false;        ///< a check that fails refuses a call

  bool empty() const { return file.empty() && texts.empty() && !is_enforced; }

  /// All of them, read. Code::invalid.
  Result<Rules> rules() const;

  bool operator==(const RunConstraints&) const = default;
};

/// As a JSON object, and back out of the options of a run (a JSON object whose member `caller` has
/// them as `constraints`); empty where these have none.
std::string write_run_constraints(const RunConstraints& kept);
RunConstraints read_run_constraints(std::string_view options);

/// The constraints of a run's options, as its events say them. What cannot be read any more is one
/// constraint, `unknown`.
std::vector<Constraint> constraints_in(std::string_view options);

}  // namespace spoor::guard::check
