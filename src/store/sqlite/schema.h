#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// SQLite's own header, with which its files begin (https://www.sqlite.org/fileformat.html, 1.3).
constexpr std::size_t kHeaderSize = 100;

/// Does a file that begins so say that it is a store? False when `header` is shorter than
/// kHeaderSize.
bool is_store_header(std::string_view header);

// The format of a file is a number in its header. Stores of all of these are read and written:
//   1  the first
//   3  as 1, and rows may be compressed: a table of dictionaries
//   4  as 3, and objects may arrive in the rows of operations (arrivals.h); operations that gc
//      folds leave their names in the table `folded`
// The one between was given to a way of compressing that was never released.
inline constexpr std::int64_t kFirstFormat = 1;
inline constexpr std::int64_t kPackedFormat = 3;
inline constexpr std::int64_t kArrivalsFormat = 4;
inline constexpr std::int64_t kNewestFormat = kArrivalsFormat;

/// Writes a new, empty store to `path`, which must not exist, and closes it: one
/// file, all of it on the disk. Of the newest format, or of an older one, for tests.
Result<void> write_empty_store(const std::string& path, std::int64_t format = kNewestFormat);

/// Makes a store one of format 3, if it was one of format 1. Within a write transaction.
Result<void> allow_dictionaries(Connection& connection);

/// Makes a store one of the newest format, within the open write transaction, and holds its schema
/// against that of a new one. False when it is one already. `path` is for messages.
Result<bool> upgrade(Connection& connection, const std::string& path);

/// Is this a spoor store that we can work with? Looks at the header before SQL
/// is read from the file, and then holds the whole schema against ours, so that
/// triggers, views and foreign tables are refused. Changes nothing.
/// Code::invalid for another program's file or a newer format, Code::corrupt for
/// a schema that is not the format's.
Result<void> verify_format(Connection& connection, const std::string& path);

}  // namespace spoor::store::sqlite
