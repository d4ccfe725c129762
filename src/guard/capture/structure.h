#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "guard/capture/hasher.h"

namespace spoor::guard {

// The part of JSON that capture mode `hashed` keeps: its structure, and values that are not texts
// of a person.

/// Returns the canonical JSON of a commit's facts without texts. Numbers, booleans and the words of
/// a closed list of members (provider, model, ids, kinds of events) are kept, the `path` that a
/// call changed becomes its commitment, and every other string is removed. Returns Code::invalid if
/// `json` is not a JSON object.
Result<std::string> facts_without_texts(std::string_view json, const Hasher& hasher);

/// Returns the facts with only `path` replaced by its commitment, for stores where only the
/// arguments of calls are hashed: the path is one of them. Facts without a path are unchanged.
Result<std::string> facts_without_path(std::string_view json, const Hasher& hasher);

/// Returns the canonical JSON of the part of a request outside the messages (tools, parameters):
/// every string except names, types and models becomes its commitment. Returns Code::invalid if
/// `json` is not JSON.
Result<std::string> request_without_texts(std::string_view json, const Hasher& hasher);

}  // namespace spoor::guard
