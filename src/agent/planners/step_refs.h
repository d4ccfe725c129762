#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spoor::agent::planners {

/// The outputs of the steps of a plan, as JSON, by their numbers from 1; nullopt: it is not known.
using StepOutputs = std::vector<std::optional<std::string>>;

/// The longest text that references may grow to, in bytes.
constexpr std::size_t kMaxResolved = 1 << 20;

/// Replaces references to earlier steps in the strings of a JSON value, and returns it in canonical
/// form. `$2.output` is what step 2 gave; `$2.output.name.0` a member or an element of it, if it is
/// JSON. A string that is one reference becomes the value itself, in a longer one its text is
/// inserted; `$$2.output` stands for `$2.output`. Text that was inserted is not searched again.
///
/// Returns the value unchanged if it is not JSON or has no reference, Code::invalid if a reference
/// names a step that is not in `outputs` or a member that does not exist, or if the result is
/// longer than kMaxResolved.
Result<std::string> resolve_refs(const std::string& json, const StepOutputs& outputs);

/// Does the same with a text, which stays one.
Result<std::string> resolve_refs_in_text(std::string_view text, const StepOutputs& outputs);

}  // namespace spoor::agent::planners
