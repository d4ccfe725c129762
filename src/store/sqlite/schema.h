#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// The size of the SQLite header at the start of its files (https://www.sqlite.org/fileformat.html,
/// 1.3).
constexpr std::size_t kHeaderSize = 100;

/// Returns whether `header` is that of a store. False if it is shorter than kHeaderSize.
bool is_store_header(std::string_view header);

// The format of a file is a number in its header. All of these are read and written:
//   1  the first
//   3  as 1, and rows may be compressed: a table of dictionaries
//   4  as 3, and objects may arrive in the rows of operations (arrivals.h); operations that gc
//      folds leave their names in the table `folded`
//   5  as 4, and there may be ropes. A store becomes one when the first rope is stored, so that an
//      older spoor still reads all others
// Format 2 was a way of compressing that was never released.
inline constexpr std::int64_t kFirstFormat = 1;
inline constexpr std::int64_t kPackedFormat = 3;
inline constexpr std::int64_t kArrivalsFormat = 4;
inline constexpr std::int64_t kRopesFormat = 5;
inline constexpr std::int64_t kNewestFormat = kRopesFormat;

/// Writes a new, empty store to `path`, which must not exist, syncs it and closes it as one file.
/// Older formats are for tests.
Result<void> write_empty_store(const std::string& path, std::int64_t format = kArrivalsFormat);

/// Converts a store of format 1 to format 3. Within a write transaction.
Result<void> allow_dictionaries(Connection& connection);

/// Converts a store to format 5. Within a write transaction.
Result<void> allow_ropes(Connection& connection);

/// Converts a store to format 4, within the open write transaction, and compares its
/// schema with that of a new one. False if it has that format or a newer one. `path` is for
/// messages.
Result<bool> upgrade(Connection& connection, const std::string& path);

/// Verifies that this is a spoor store that we can use. Checks the header before any SQL is read
/// from the file, then compares the whole schema with ours, so that triggers, views and foreign
/// tables are refused. Changes nothing. Code::invalid for another program's file or a newer format,
/// Code::corrupt for a schema that is not the format's.
Result<void> verify_format(Connection& connection, const std::string& path);

}  // namespace spoor::store::sqlite
