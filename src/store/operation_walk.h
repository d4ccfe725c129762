#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace spoor::store {

/// Returns Code::corrupt unless the operation's bytes hash to its name.
Result<void> verify(const LoggedOperation& logged);

/// Returns the error for an operation that does not name its predecessor, or for a gap before it.
Error does_not_follow(std::uint64_t number);

/// Returns operations like Store::operations, but checks each against its name and its predecessor.
/// Code::corrupt also if operations are missing.
Result<std::vector<LoggedOperation>> verified_operations(const Store& store, std::uint64_t after,
                                                         std::size_t limit);

/// Visits the verified operation log, newest first, until the visitor returns false.
Result<void> walk_operations(const Store& store,
                             const std::function<Result<bool>(const LoggedOperation&)>& visit);

/// Finds an operation by a prefix of its name, 4 digits or more, or by `@{n}`: n operations before
/// the newest. Code::not_found if there is none, Code::ambiguous if there are several,
/// Code::invalid for any other text.
Result<LoggedOperation> find_operation(const Store& store, std::string_view text);

}  // namespace spoor::store
