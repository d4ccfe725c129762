#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/oid.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/handle.h"

namespace spoor::store::sqlite {

// The index from names to rows has two parts, so that a commit need not touch a page of the table
// `names` for each of its objects: names are random, and their pages far apart. The table is
// complete as of one operation. Later operations carry the names of their objects, and
// Connection::tail() caches these.
//
// The table has a *key* for each name: its first bytes. The row contains the whole name, which
// confirms a match. If the names of two objects begin alike, the later one's key is its whole name.

/// One entry of the index.
struct NamedRow {
  Oid oid;
  Handle handle = 0;
};

inline constexpr std::size_t kKeySize = 6;

/// Returns a name's key, unless another name has it already.
inline std::string_view key_of(const Oid& oid) { return oid.view().substr(0, kKeySize); }

/// Returns whether `bytes` can be a key of the table. digits_of() returns the hex digits that the
/// key's name begins with.
bool is_key(std::string_view bytes);
std::string digits_of(std::string_view key);

/// Returns the name in the object's or commit's row; nullopt if there is no such row, or it has no
/// name.
Result<std::optional<Oid>> oid_of_row(Connection& connection, Handle handle);

/// Returns the location of an object according to the index; nullopt if the index does not contain
/// it. Does not verify the index: the caller that reads the row checks its name.
Result<std::optional<Handle>> handle_of(Connection& connection, const Oid& oid);

/// Returns the row that the index has for the first bytes of `oid`; nullopt if it has none, or if
/// only handle_of() can say. It may be the row of another object whose name begins alike, so the
/// caller compares the whole name, which saves reading the row twice.
Result<std::optional<Handle>> likely_handle(Connection& connection, const Oid& oid);

/// Verifies that a name missing from the index is not in any row. Reads the names of all rows once
/// for all questions. Within one transaction.
class Absence {
 public:
  explicit Absence(Connection& connection) : connection_(connection) {}

  /// Returns Code::corrupt if a row has the name.
  Result<void> confirm(const Oid& oid);

 private:
  Result<void> read_rows();

  Connection& connection_;
  std::optional<std::vector<std::uint64_t>> rows_;  // The first bytes of all names, in order.
};

/// Returns the entries that only operations carry, in no order.
Result<std::vector<NamedRow>> carried_names(Connection& connection);

/// Returns the entries in the column `names` of that operation's row; nullopt if it is malformed.
std::optional<std::vector<NamedRow>> carried_in(std::string_view column, std::int64_t operation);

/// Returns whether the names that this operation carries are readable. Damaged names are not an
/// error here.
Result<bool> are_carried_sound(Connection& connection, std::int64_t number);

/// The names that one transaction adds.
class NewNames {
 public:
  explicit NewNames(Connection& connection) : connection_(connection) {}

  /// Claims a name for a row. False if it is taken, because the object exists.
  Result<bool> claim(const Oid& oid, Handle handle);

  /// Moves earlier arrivals to the tables. Call it before any claim, in a transaction that adds
  /// rows of commits.
  Result<void> settle();

  /// Returns the names for the transaction's operation to carry. If they are many, adds them to the
  /// table instead and returns an empty string.
  Result<std::string> carry();

  /// Adds them to the table; for a transaction without an operation.
  Result<void> index();

 private:
  Connection& connection_;
  std::vector<NamedRow> rows_;
};

/// Adds an entry to the table.
Result<void> add_name(Connection& connection, const NamedRow& row);

/// Removes an entry from the table, after index_carried().
Result<void> drop_name(Connection& connection, const NamedRow& row);

/// Call in the transaction that wrote the operation with this number and name. Moves the names that
/// operations carry into the table once they are many.
Result<void> operation_was_added(Connection& connection, std::int64_t number, const Oid& name);

/// Settles arrivals (arrivals.h) and moves the names that operations carry into the table, within
/// the open transaction.
Result<void> index_carried(Connection& connection);

/// Records that the table is complete as of the newest operation.
Result<void> set_indexed_to_newest(Connection& connection);

}  // namespace spoor::store::sqlite
