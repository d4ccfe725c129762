#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "guard/capture/hasher.h"

namespace spoor::guard {

// What stays of JSON in capture mode `hashed`: its structure, and what is no text of anybody's.

/// The canonical JSON of a commit's facts without texts: numbers, truths and the words of a closed
/// list of members (provider, model, ids, kinds of events) stay, of the `path` that a call changed
/// its commitment; every other string goes. Code::invalid when it is no JSON object.
Result<std::string> facts_without_texts(std::string_view json, const Hasher& hasher);

/// The same facts, of `path` alone its commitment: where only the arguments of calls are hashed, of
/// which it is one. Facts without one are what they were.
Result<std::string> facts_without_path(std::string_view json, const Hasher& hasher);

/// The canonical JSON of what is told a provider beside the messages (tools, parameters): every
/// string but names, types and models becomes its commitment. Code::invalid when it is no JSON.
Result<std::string> request_without_texts(std::string_view json, const Hasher& hasher);

}  // namespace spoor::guard
