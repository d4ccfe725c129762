#pragma once

#include <string>

#include "llm/generate.h"

namespace spoor::llm {

/// Returns `provider/model`.
std::string full_name(const Candidate& candidate);

/// Returns the members of a request that are not its history, a canonical JSON object; empty if
/// there are none. First the model's defaults, then streaming, then the caller's own, which win;
/// then without what its server refused before, and with `corrections` (models/refused_params.h).
/// Code::invalid if the caller's are not an object, or are the history's.
Result<std::string> request_params(const Candidate& candidate, const GenerateOptions& options,
                                   const std::string& corrections);

}  // namespace spoor::llm
