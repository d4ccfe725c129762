#pragma once

#include <functional>
#include <string_view>

#include "store/store.h"

namespace spoor::store {

/// Visits the operation log, newest first, until the visitor returns false.
Result<void> walk_operations(const Store& store,
                             const std::function<Result<bool>(const LoggedOperation&)>& visit);

/// The operation that people name by the beginning of its name, 4 digits or more, or by `@{n}`: n
/// operations before the newest. Code::not_found when there is none, Code::ambiguous when there are
/// several, Code::invalid when it is no such text.
Result<LoggedOperation> find_operation(const Store& store, std::string_view text);

}  // namespace spoor::store
