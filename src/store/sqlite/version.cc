#include "store/sqlite/version.h"

#include <sqlite3.h>

namespace spoor::store {

std::string sqlite_version() { return sqlite3_libversion(); }

bool sqlite_has_wal_reset_bug() { return has_wal_reset_bug(sqlite3_libversion_number()); }

}  // namespace spoor::store
