#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spoor::json {
class Value;
}

namespace spoor::agent {

/// An option that was considered and rejected.
struct Alternative {
  std::string option;
  std::string rejected_because;  ///< at most kMaxRejectedBecause code points

  bool operator==(const Alternative&) const = default;
};

/// The reason for a step, in the words of who took it. Recorded, never invented.
struct Rationale {
  std::string why;                ///< not blank, at most kMaxWhy code points
  std::vector<std::string> refs;  ///< the observations that it is based on
  std::vector<Alternative> alternatives;
  std::optional<double> confidence;  ///< from 0 to 1
  /// `refs` is empty because an empty list was given: it is based on no observation.
  bool has_empty_refs = false;

  bool operator==(const Rationale&) const = default;
};

constexpr std::size_t kMaxWhy = 280;
constexpr std::size_t kMaxRejectedBecause = 160;

/// The valid part of a rationale that a model wrote.
struct CleanRationale {
  std::optional<Rationale> rationale;  ///< nullopt: it has no `why`
  /// The removed parts and the reasons, in the order of the fields: `confidence: no number from 0
  /// to 1`, `alternatives[1]: no text 'option'`, `mood: unknown field`. An alternative that is too
  /// long is in its reason as it was written.
  std::vector<std::string> dropped;

  bool operator==(const CleanRationale&) const = default;
};

/// Parses a rationale that a program wrote; it must be an object with these members:
///
///   why            a text, not blank, at most kMaxWhy code points
///   refs           a list of texts
///   alternatives   a list of objects with texts `option` and `rejectedBecause`, not blank;
///                  the second has at most kMaxRejectedBecause code points
///   confidence     a number from 0 to 1
///
/// Only `why` is required; unknown fields are ignored. Returns Code::invalid with the field's name.
Result<Rationale> parse_rationale(const json::Value& value);

/// Parses a rationale that a model wrote: cuts `why` to its maximum length and drops invalid fields
/// and single invalid entries of `alternatives`.
CleanRationale clean_rationale(const json::Value& value);

/// As above for a rationale that is a plain text: its `why`.
CleanRationale clean_rationale(std::string_view why);

/// Returns the canonical JSON object that parse_rationale() reads, as it is in a commit's fields.
/// Leaves out an empty list of alternatives, and an empty list of refs unless has_empty_refs.
std::string write_rationale(const Rationale& rationale);

}  // namespace spoor::agent
