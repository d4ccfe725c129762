#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace spoor::store {

/// Code::corrupt unless the operation's bytes hash to its name.
Result<void> verify(const LoggedOperation& logged);

/// What is said of an operation that does not name the one before it, or of a gap before it.
Error does_not_follow(std::uint64_t number);

/// As Store::operations, but each is held against its name and against the one before it.
/// Code::corrupt also where some are missing.
Result<std::vector<LoggedOperation>> verified_operations(const Store& store, std::uint64_t after,
                                                         std::size_t limit);

/// Visits the operation log, verified, newest first, until the visitor returns false.
Result<void> walk_operations(const Store& store,
                             const std::function<Result<bool>(const LoggedOperation&)>& visit);

/// The operation that people name by the beginning of its name, 4 digits or more, or by `@{n}`: n
/// operations before the newest. Code::not_found when there is none, Code::ambiguous when there are
/// several, Code::invalid when it is no such text.
Result<LoggedOperation> find_operation(const Store& store, std::string_view text);

}  // namespace spoor::store
