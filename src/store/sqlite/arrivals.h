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

// In a store of format 4 the objects of a small transaction *arrive* in the row of its operation,
// so that a commit writes one row of one table. Later they are *settled*, many at a time: moved to
// the tables `objects` and `commits`, and their names to the index (index_carried() in names.h).

/// One object in the column `objects` of an operation's row.
struct Arrival {
  Kind kind = Kind::blob;
  std::int64_t codec = 0;
  std::int64_t size = 0;
  std::string_view bytes;  ///< part of the column
};

/// Returns whether the store's format allows arrivals. Within a write transaction.
Result<bool> takes_arrivals(Connection& connection);

/// Returns whether an object may arrive in an operation's row; if not, it gets a row of its own,
/// which is written once.
bool may_arrive(const NewObject& object);

/// Appends an object to a column.
void append_arrival(std::string& column, const NewObject& object);

/// Returns the objects of a column, in order; nullopt if it is malformed.
std::optional<std::vector<Arrival>> arrivals_in(std::string_view column);

/// Returns the names, from the column `names` of the operation's row, of each of its `count`
/// objects; nullopt for those without an entry, and for all if the column is malformed.
std::vector<std::optional<Oid>> arrival_names(std::string_view names, std::int64_t operation,
                                              std::size_t count);

/// Returns the objects not settled yet, in order of arrival. Within a transaction.
Result<std::vector<NamedRow>> unsettled(Connection& connection);

/// Reads objects that arrived and are not settled. Caches the last row read, since a turn's commit
/// and its contents share one. Within one transaction.
class ArrivalReader {
 public:
  explicit ArrivalReader(Connection& connection) : connection_(connection) {}

  /// Reads an object. Code::corrupt if its row is missing or malformed. `oid` is the name whose
  /// place is `handle` according to the index.
  Result<Object> read(Handle handle, const Oid& oid);

  /// Returns the object in packed form; nullopt if its row is missing or malformed. Its bytes are
  /// valid until the next call.
  Result<std::optional<Arrival>> find(Handle handle);

 private:
  Connection& connection_;
  std::int64_t operation_ = 0;  // The operation of the cached row; 0: none.
  std::string column_;
  std::vector<Arrival> arrivals_;
};

/// Moves all arrived objects to the tables, within the open transaction. The index, as of this
/// transaction, then has their new places; the operations' rows no longer carry their names.
Result<void> settle(Connection& connection);

/// An object recovered from an operation's row, with its name, even if other data is damaged.
struct Salvaged {
  Oid oid;
  Kind kind = Kind::blob;
  std::int64_t codec = 0;
  std::int64_t size = 0;
  std::string bytes;
};

/// Returns every arrived object that is readable. Within a read transaction, in which damaged data
/// may be read.
Result<std::vector<Salvaged>> salvage_arrivals(Connection& connection);

/// Adds the missing ones of `objects` to the tables, and their names to the index. Within the open
/// transaction, when the index is complete.
Result<void> add_salvaged(Connection& connection, std::span<const Salvaged> objects);

}  // namespace spoor::store::sqlite
