#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/oid.h"
#include "store/result.h"
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

  bool has_work() const { return !keys_.empty(); }

  /// The dictionary that would serve better than the newest of the table, where there is enough to
  /// learn from and it is worth its own bytes. To be added before the first rows are.
  Result<std::optional<NewDictionary>> train(Connection& connection);

  /// The next rows that became smaller, some 256 KiB before; none when there are no more.
  Result<std::vector<PackedRow>> next(Connection& connection);

 private:
  explicit Packer(PackedTable table) : table_(table) {}

  PackedTable table_;
  std::vector<Handle> keys_;
  std::size_t at_ = 0;
  std::uint64_t total_ = 0;           // Bytes of all bodies of the table.
  DictionaryNumber last_number_ = 0;  // Of all dictionaries.
  std::string dictionary_;
  std::unique_ptr<Compressor> compressor_;
};

/// Gives rows their new columns, but for those that are not as they were. Within a write
/// transaction.
Result<void> write_rows(Connection& connection, PackedTable table,
                        const std::vector<PackedRow>& rows);

/// The next rows from `after` on with a frame around them, without it; none when there are no more.
/// `after` moves on. Code::corrupt where one cannot be read.
Result<std::vector<PackedRow>> next_unpacked(Connection& connection, PackedTable table,
                                             Handle& after);

}  // namespace spoor::store::sqlite
