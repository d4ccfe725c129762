#pragma once

#include <string>
#include <string_view>

#include "store/postgres/connection.h"

namespace spoor::store::postgres {

/// Makes an empty store in a database that has the tables. Code::conflict if it is there.
Result<void> make_store(Connection& connection, std::string_view name);

/// Makes one whose keys are at the address `keys`, in another database, and the keys. Until both
/// are there, the store has a name that no address has: a later call for the same store removes
/// what a program that ended in between left behind. The errors of KeyDatabase::create().
Result<void> make_sealed(Connection& connection, const std::string& name, const std::string& keys,
                         const Patience& patience);

}  // namespace spoor::store::postgres
