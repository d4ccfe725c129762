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

/// Something that was weighed and not taken.
struct Alternative {
  std::string option;
  std::string rejected_because;  ///< at most kMaxRejectedBecause code points

  bool operator==(const Alternative&) const = default;
};

/// Why a step was taken, in the words of who took it. Captured, never made up.
struct Rationale {
  std::string why;                ///< not blank, at most kMaxWhy code points
  std::vector<std::string> refs;  ///< the observations it rests on
  std::vector<Alternative> alternatives;
  std::optional<double> confidence;  ///< from 0 to 1
  /// `refs` is empty because an empty list was given, which says that it rests on none.
  bool has_empty_refs = false;

  bool operator==(const Rationale&) const = default;
};

constexpr std::size_t kMaxWhy = 280;
constexpr std::size_t kMaxRejectedBecause = 160;

/// What was left of a rationale that somebody else wrote.
struct CleanRationale {
  std::optional<Rationale> rationale;  ///< none: it does not say why
  /// What is lost and for what reason, in the order of the fields: `confidence: no number from 0
  /// to 1`, `alternatives[1]: no text 'option'`, `mood: unknown field`.
  std::vector<std::string> dropped;

  bool operator==(const CleanRationale&) const = default;
};

/// A rationale as programs must write it: an object with `why`, a text that is not blank, of at
/// most kMaxWhy code points; `refs`, a list of texts; `alternatives`, a list of objects with texts
/// `option` and `rejectedBecause` that are not blank, the second of at most kMaxRejectedBecause;
/// `confidence`, a number from 0 to 1. All but `why` may be missing, unknown fields are passed
/// over. Code::invalid names the field.
Result<Rationale> parse_rationale(const json::Value& value);

/// The same of what a model wrote: `why` is cut to its length, a field that is wrong is dropped, of
/// `alternatives` each entry by itself.
CleanRationale clean_rationale(const json::Value& value);

/// The same of a rationale that is a plain text: its `why`.
CleanRationale clean_rationale(std::string_view why);

/// The canonical JSON object that parse_rationale() reads, as a commit has it in its fields. An
/// empty list of alternatives is left out, one of refs too unless has_empty_refs.
std::string write_rationale(const Rationale& rationale);

}  // namespace spoor::agent
