#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/oid.h"
#include "store/sqlite/compression.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/dictionaries.h"
#include "store/sqlite/handle.h"

namespace spoor::store::sqlite {

/// A row's new columns, and the data that identifies an unchanged row.
struct PackedRow {
  Handle key = 0;
  Oid oid;
  std::int64_t codec = 0;
  std::string bytes;
  std::size_t before = 0;  ///< bytes in the old row
};

/// Compresses the uncompressed rows of one table. Reads and compresses within read transactions, so
/// that no other process waits; the caller writes the results (below). Rows added meanwhile are
/// left to the next Packer.
class Packer {
 public:
  /// Finds the rows and their dictionary.
  static Result<Packer> begin(Connection& connection, PackedTable table);

  /// Returns whether all rows were processed.
  bool is_done() const { return at_ == keys_.size(); }

  /// Trains a dictionary if one is due: the first, if there is enough data, or the next, if the
  /// table is twice as large as when the newest was trained. Add it before writing the first rows.
  Result<std::optional<NewDictionary>> train(Connection& connection);

  /// Compresses the next rows, about 256 KiB, and returns those that became smaller.
  Result<std::vector<PackedRow>> next(Connection& connection);

  /// Returns whether nothing was erased since begin(). If false, the dictionary may be gone or
  /// contain erased data: write nothing more. Within the write transaction that writes.
  Result<bool> is_current(Connection& connection) const;

  /// True if there are processed objects that the next Packer can skip; mark() records them.
  bool has_new_mark() const { return table_ == PackedTable::objects && at_ > 0; }
  Result<void> mark(Connection& connection) const;

 private:
  explicit Packer(PackedTable table) : table_(table) {}

  PackedTable table_;
  std::uint64_t erasures_ = 0;
  std::vector<Handle> tried_;  // By earlier packers; still not compressed.
  std::vector<Handle> keys_;   // All others, in order.
  std::size_t at_ = 0;
  std::uint64_t total_ = 0;  // Bytes of all bodies in the table.
  Dictionaries known_;
  std::unique_ptr<Compressor> compressor_;
};

/// Makes the next Packer process all objects again. Within a write transaction.
Result<void> forget_marks(Connection& connection);

/// Writes a row's new columns; false if the row has changed. Within a write transaction.
Result<bool> write_row(Connection& connection, PackedTable table, const PackedRow& row);

/// Returns the next rows after `after` that have a frame, without it; none at the end. Advances
/// `after`. Skips rows with damaged bytes; an error if the file cannot be read. Within a
/// transaction.
Result<std::vector<PackedRow>> next_unpacked(Connection& connection, PackedTable table,
                                             Handle& after);

}  // namespace spoor::store::sqlite
