#pragma once

#include <string>

#include "store/store.h"

namespace spoor::sync {

/// Returns why a branch or tag that another store made is not made here; empty if it may be. Its
/// short name must be one that the user could give it, and must not be the beginning of a commit's
/// hash, for which people would take it. `with` is the store with the objects that came along.
Result<std::string> name_objection(const store::Store& with, const std::string& ref);

}  // namespace spoor::sync
