#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spoor::bench {

/// One line of the page: our figure, the floor measured beside it in the same
/// run, and what was hoped for.
struct Row {
  enum class Want { at_least, at_most };
  std::string name;
  double value = 0;  ///< ours, in `unit`
  std::string unit;
  double floor = 0;  ///< the same work done raw; 0 where there is none
  double ratio = 0;  ///< what the target speaks of
  std::optional<double> target;
  Want want = Want::at_least;
  std::string note;       ///< what floor and ratio are
  std::string part = {};  ///< the measurement that it is of

  bool is_met() const {
    return !target || (want == Want::at_least ? ratio >= *target : ratio <= *target);
  }
};

/// The page, for people.
void print_table(const std::vector<Row>& rows);

/// A JSON list of {name, part, value, unit, floor, ratio, target, met, note}; `target` with `≥` or
/// `≤`.
void print_json(const std::vector<Row>& rows);

}  // namespace spoor::bench
