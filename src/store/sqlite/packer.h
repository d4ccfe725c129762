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

/// A row's new columns, and what tells that it is still the same row.
struct PackedRow {
  Handle key = 0;
  Oid oid;
  std::int64_t codec = 0;
  std::string bytes;
  std::size_t before = 0;  ///< how many bytes it had
};

/// Compresses the rows of one table that are not yet: reads and compresses within read
/// transactions, so that nobody waits, and leaves it to the caller to write (below). Rows that come
/// meanwhile are for the next one.
class Packer {
 public:
  /// Looks for the rows, and for the dictionary that serves them.
  static Result<Packer> begin(Connection& connection, PackedTable table);

  /// Has it looked at all rows?
  bool is_done() const { return at_ == keys_.size(); }

  /// The dictionary that is due: the first, where there is enough to learn from, or the next, when
  /// the table is twice what the newest was learned from. To be added before the first rows are.
  Result<std::optional<NewDictionary>> train(Connection& connection);

  /// Of the next rows, some 256 KiB, those that became smaller.
  Result<std::vector<PackedRow>> next(Connection& connection);

  /// Has nothing been erased since begin()? Else the dictionary may be gone, or hold what was
  /// erased: nothing more may be written. Within the write transaction that writes.
  Result<bool> is_current(Connection& connection) const;

  /// Objects up to here were looked at, and need not be again by the next one.
  bool has_new_mark() const { return table_ == PackedTable::objects && at_ > 0; }
  Result<void> mark(Connection& connection) const;

 private:
  explicit Packer(PackedTable table) : table_(table) {}

  PackedTable table_;
  std::uint64_t erasures_ = 0;
  std::vector<Handle> tried_;  // By the packers before this one; and still not compressed.
  std::vector<Handle> keys_;   // All others, in order.
  std::size_t at_ = 0;
  std::uint64_t total_ = 0;  // Bytes of all bodies of the table.
  Dictionaries known_;
  std::unique_ptr<Compressor> compressor_;
};

/// All objects are to be looked at again. Within a write transaction.
Result<void> forget_marks(Connection& connection);

/// Gives a row its new columns; false when it is not as it was. Within a write transaction.
Result<bool> write_row(Connection& connection, PackedTable table, const PackedRow& row);

/// The next rows from `after` on with a frame around them, without it; none when there are no more.
/// `after` moves on. One whose bytes are damaged is passed over; an error where the file cannot be
/// read. Within a transaction.
Result<std::vector<PackedRow>> next_unpacked(Connection& connection, PackedTable table,
                                             Handle& after);

}  // namespace spoor::store::sqlite
