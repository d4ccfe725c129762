#pragma once

#include <cstdint>
#include <string_view>

#include "store/sqlite/connection.h"

// Values of the table `derived`, and numbers of operations that are asked for again and again.
namespace spoor::store::sqlite {

/// What the table `derived` holds under a key; nothing where there is none.
Result<std::optional<std::string>> derived(Connection& connection, std::string_view key);
Result<void> set_derived(Connection& connection, std::string_view key, std::string_view value);

/// The number that the table `derived` holds under a key; 0 where there is none. `what` names it
/// when it is Code::corrupt: `the number of WHAT is malformed`.
Result<std::int64_t> derived_number(Connection& connection, std::string_view key,
                                    std::string_view what);
Result<void> set_derived_number(Connection& connection, std::string_view key, std::int64_t number);

/// The number of the newest operation; 0 where there is none.
Result<std::int64_t> newest_number(Connection& connection);

}  // namespace spoor::store::sqlite
