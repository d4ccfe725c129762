#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/object.h"
#include "store/oid.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/handle.h"
#include "store/sqlite/names.h"

namespace spoor::store::sqlite {

// In a store of format 4 the objects of a small transaction arrive in the row of its operation, so
// that a commit writes one row of one table. Later, many at a time, they are settled: moved to the
// tables `objects` and `commits`, the names of all into the index (index_carried() in names.h).

/// One object in the column `objects` of an operation's row.
struct Arrival {
  Kind kind = Kind::blob;
  std::int64_t codec = 0;
  std::int64_t size = 0;
  std::string_view bytes;  ///< of the column
};

/// Does the store keep objects so? Within a write transaction.
Result<bool> takes_arrivals(Connection& connection);

/// May it arrive so, or is it better off in a row of its own, which is written once?
bool may_arrive(const NewObject& object);

/// Adds one to the end of a column.
void append_arrival(std::string& column, const NewObject& object);

/// The objects of a column, in order. Nothing when it is malformed.
std::optional<std::vector<Arrival>> arrivals_in(std::string_view column);

/// What the entries in the column `names` of that operation's row call each of its `count` objects;
/// nothing for those that they do not name, and for all where the column is malformed.
std::vector<std::optional<Oid>> arrival_names(std::string_view names, std::int64_t operation,
                                              std::size_t count);

/// All that arrived and is not settled, in the order in which it came. Within a transaction.
Result<std::vector<NamedRow>> unsettled(Connection& connection);

/// Reads objects that arrived and are not settled. Keeps the row it read last: a turn's commit and
/// its contents are in one. Within one transaction.
class ArrivalReader {
 public:
  explicit ArrivalReader(Connection& connection) : connection_(connection) {}

  /// Code::corrupt when the row is not there, or is malformed. `oid` is whose place the index said
  /// that it is.
  Result<Object> read(Handle handle, const Oid& oid);

  /// The same as it is packed; nothing when the row is not there, or is malformed. Its bytes live
  /// until the next call.
  Result<std::optional<Arrival>> find(Handle handle);

 private:
  Connection& connection_;
  std::int64_t operation_ = 0;  // Whose row it is; 0 for none.
  std::string column_;
  std::vector<Arrival> arrivals_;
};

/// Moves all that arrived to the tables, within the open transaction. The index, which is as of it,
/// then says where they are; the names that their operations carry are no longer in the rows.
Result<void> settle(Connection& connection);

/// One that was found in an operation's row whatever else is damaged, with what it is to be called.
struct Salvaged {
  Oid oid;
  Kind kind = Kind::blob;
  std::int64_t codec = 0;
  std::int64_t size = 0;
  std::string bytes;
};

/// All that arrived and can be read at all. Within a read transaction: what is damaged may be read
/// there.
Result<std::vector<Salvaged>> salvage_arrivals(Connection& connection);

/// Puts those into the tables that are not there, and their names into the index. Within the open
/// transaction, when the index is complete.
Result<void> add_salvaged(Connection& connection, std::span<const Salvaged> objects);

}  // namespace spoor::store::sqlite
