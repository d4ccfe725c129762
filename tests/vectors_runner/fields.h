#pragma once

#include <set>
#include <string>

#include "tests/vectors_runner/json.h"

namespace spoor::vectors {

using Names = std::set<std::string>;

/// Throws BadVector with `problem` unless `claim` holds.
void require(bool claim, const std::string& problem);

/// Throws BadVector unless `object` is one that has every required field, and none beside them and
/// the optional ones. `where` names it in messages.
void check_keys(const Json& object, const Names& required, const Names& optional,
                const std::string& where);

}  // namespace spoor::vectors
