#pragma once

#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

// Whether the file alone holds every commit is a fact that the file itself carries, so that a copy
// without its log is known for what it is. It is in the four bytes at 96 of SQLite's header
// (https://www.sqlite.org/fileformat2.html#the_database_header), which hold the number of the
// SQLite that wrote there last and which no SQLite reads: 0 says that commits are in the log alone.
// SQLite's own number comes back whenever it writes the first page.

/// Does the file say that commits are in its log alone? Code::io.
Result<bool> needs_log(Connection& connection);

/// Says so in the file, without a sync. Under the writer lock, once these commits are on the disk.
Result<void> note_log_needed(Connection& connection);

/// Says in the file, and sees to it that the disk has it, that the log is not needed. Under the
/// writer lock, right before the log is copied back.
Result<void> note_at_rest(Connection& connection);

/// Is this the only connection to the file, in all processes? Others may come afterwards. Not
/// within a transaction.
bool is_alone(Connection& connection);

}  // namespace spoor::store::sqlite
