#pragma once

#include <cstdint>
#include <string_view>

#include "store/sqlite/connection.h"

// Values of the table `derived`, and frequently needed numbers of operations.
namespace spoor::store::sqlite {

/// Returns the value under a key of the table `derived`; nullopt if there is none.
Result<std::optional<std::string>> derived(Connection& connection, std::string_view key);
Result<void> set_derived(Connection& connection, std::string_view key, std::string_view value);

/// Returns the number under a key of the table `derived`; 0 if there is none. `what` names it in
/// the Code::corrupt: `the number of WHAT is malformed`.
Result<std::int64_t> derived_number(Connection& connection, std::string_view key,
                                    std::string_view what);
Result<void> set_derived_number(Connection& connection, std::string_view key, std::int64_t number);

/// Returns the number of the newest operation; 0 if there is none.
Result<std::int64_t> newest_number(Connection& connection);

}  // namespace spoor::store::sqlite
