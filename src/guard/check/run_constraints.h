#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard/check/constraints.h"

namespace spoor::guard::check {

/// The constraints in the request of a run. They are kept with the run's options, so that events
/// contain them and a continued run keeps them.
struct RunConstraints {
  std::string file;                ///< the text of a file of constraints; empty: none
  std::vector<std::string> texts;  ///< typed constraints, see constraint_from_text()
  bool is_enforced = false;        ///< a failing check refuses a call

  bool empty() const { return file.empty() && texts.empty() && !is_enforced; }

  /// Reads all of them. Returns Code::invalid.
  Result<Rules> rules() const;

  bool operator==(const RunConstraints&) const = default;
};

/// Write them as a JSON object, and read them from the options of a run (a JSON object whose member
/// `caller` contains `constraints`); empty if the options have none.
std::string write_run_constraints(const RunConstraints& kept);
RunConstraints read_run_constraints(std::string_view options);

/// Returns the constraints of a run's options as its events list them. Constraints that can no
/// longer be read become one constraint, `unknown`.
std::vector<Constraint> constraints_in(std::string_view options);

}  // namespace spoor::guard::check
