#pragma once

#include "compile/prompt.h"
#include "graph/diff.h"
#include "tests/vectors_runner/json.h"

namespace spoor::vectors {

// The library's values in the shapes that vectors compare.

Json json_of(const compile::Conflict& conflict);
Json json_of(const compile::Prompt& prompt);
Json json_of(const graph::PromptDiff& diff);

/// Of a commit: its body, by type.
Result<Json> content_of(const store::Reader& reader, const store::Commit& commit);

/// The explicit message of a commit, else a preview of its text.
Result<std::string> message_of(const store::Reader& reader, const store::Commit& commit);

/// JSON text parsed; an empty one is null. Throws BadVector when it is no JSON.
Json parsed(const std::string& text);

}  // namespace spoor::vectors
