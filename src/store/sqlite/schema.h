#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "store/result.h"
#include "store/sqlite/connection.h"

namespace spoor::store::sqlite {

/// SQLite's own header, with which its files begin (https://www.sqlite.org/fileformat.html, 1.3).
constexpr std::size_t kHeaderSize = 100;

/// Does a file that begins so say that it is a store? False when `header` is shorter than
/// kHeaderSize.
bool is_store_header(std::string_view header);

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
