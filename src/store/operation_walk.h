#pragma once

#include <functional>

#include "store/store.h"

namespace spoor::store {

/// Visits the operation log, newest first, until the visitor returns false.
Result<void> walk_operations(const Store& store,
                             const std::function<Result<bool>(const LoggedOperation&)>& visit);

}  // namespace spoor::store
