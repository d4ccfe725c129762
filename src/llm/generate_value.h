#pragma once

#include "llm/generate.h"
#include "llm/structured.h"

namespace spoor::llm {

/// A JSON value that a model gave.
struct GeneratedValue {
  Generated last;           ///< the answer that the value is from
  StructuredAnswer answer;  ///< the value, and where it does not fit the schema
  bool was_nudged = false;  ///< the first answer did not fit, and the model was told so
};

/// As generate(), for a value of `schema`: passed natively where the provider can, checked here
/// either way. An answer that does not fit earns the model one nudge, a user's turn on the branch;
/// what it answers then is returned, fitting or not. A model that has to be told the schema is told
/// by a system turn named `structured_output`, which is skipped once it has answered.
Result<GeneratedValue> generate_value(graph::Branch& branch, Candidate candidate,
                                      const Schema& schema, const GenerateOptions& options);

}  // namespace spoor::llm
