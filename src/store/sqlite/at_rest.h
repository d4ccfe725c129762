#pragma once

#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

// Records in the store's file whether the file alone contains every commit, so that a copy without
// its log is recognized. The record is in the four bytes at 96 of the SQLite header
// (https://www.sqlite.org/fileformat2.html#the_database_header), which contain the version number
// of the SQLite that last wrote the file and which SQLite never reads: 0 means that some commits
// are in the log only. SQLite restores its number whenever it writes the first page.

/// Returns whether the file records that commits are in its log only. Code::io.
Result<bool> needs_log(Connection& connection);

/// Records that in the file, without a sync. Under the writer lock, once these commits are on the
/// disk.
Result<void> note_log_needed(Connection& connection);

/// Records in the file, with a sync, that the log is not needed. Under the writer lock, right
/// before the log is copied back.
Result<void> note_at_rest(Connection& connection);

/// Returns whether this is the only connection to the file, in all processes. Others may be opened
/// afterwards. Not within a transaction.
bool is_alone(Connection& connection);

}  // namespace spoor::store::sqlite
