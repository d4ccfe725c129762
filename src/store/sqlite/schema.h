#pragma once

#include <string>

#include "store/result.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// Writes a new, empty store to `path`, which must not exist, and closes it: one
/// file, all of it on the disk.
Result<void> write_empty_store(const std::string& path);

/// Makes a store one of format 3, which has a table of dictionaries. Within a write transaction.
Result<void> add_dictionaries_table(Connection& connection);

/// Is this a spoor store that we can work with? Looks at the header before SQL
/// is read from the file, and then holds the whole schema against ours, so that
/// triggers, views and foreign tables are refused. Changes nothing.
/// Code::invalid for another program's file or a newer format, Code::corrupt for
/// a schema that is not the format's.
Result<void> verify_format(Connection& connection, const std::string& path);

}  // namespace spoor::store::sqlite
