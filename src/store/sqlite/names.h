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
// complete as of one operation; those since carry the names of the objects that came with them, and
// Connection::tail() remembers what they carry.
//
// The table has a *key* for each name: its first bytes, which a row then confirms, for a row has
// its whole name. Where two objects begin alike, the later one's key is its whole name.

/// One object of the index.
struct NamedRow {
  Oid oid;
  Handle handle = 0;
};

inline constexpr std::size_t kKeySize = 6;

/// The bytes that a name's key is made of, unless they are taken.
inline std::string_view key_of(const Oid& oid) { return oid.view().substr(0, kKeySize); }

/// Can these bytes be a key of the table? Its digits are those that the name begins with.
bool is_key(std::string_view bytes);
std::string digits_of(std::string_view key);

/// The name in the object's or commit's row; nothing when there is no such row, or it has none.
Result<std::optional<Oid>> oid_of_row(Connection& connection, Handle handle);

/// Where the index says that the object is; nothing when it does not know it. Whoever reads the row
/// sees whether it is the object's: an index that contradicts the rows is believed here.
Result<std::optional<Handle>> handle_of(Connection& connection, const Oid& oid);

/// Makes sure that what the index does not know is not there: one look at the names of all rows
/// serves all questions. Within one transaction.
class Absence {
 public:
  explicit Absence(Connection& connection) : connection_(connection) {}

  /// Code::corrupt when a row has the name.
  Result<void> confirm(const Oid& oid);

 private:
  Result<void> read_rows();

  Connection& connection_;
  std::optional<std::vector<std::uint64_t>> rows_;  // The first bytes of their names, in order.
};

/// The entries that only operations carry, in no order.
Result<std::vector<NamedRow>> carried_names(Connection& connection);

/// The entries in the column `names` of that operation's row. Nothing when it is malformed.
std::optional<std::vector<NamedRow>> carried_in(std::string_view column, std::int64_t operation);

/// Can the names that this operation carries be read? Damage to them is no error here.
Result<bool> are_carried_sound(Connection& connection, std::int64_t number);

/// Names that one transaction adds.
class NewNames {
 public:
  explicit NewNames(Connection& connection) : connection_(connection) {}

  /// Claims a name for a row. False when it is taken, and so the object is there.
  Result<bool> claim(const Oid& oid, Handle handle);

  /// Moves what arrived before to the tables: for a transaction that adds rows of commits, before
  /// it claims anything.
  Result<void> settle();

  /// What the transaction's operation is to carry. Nothing, and the table has them now, when they
  /// are many.
  Result<std::string> carry();

  /// Puts them into the table: for a transaction without an operation.
  Result<void> index();

 private:
  Connection& connection_;
  std::vector<NamedRow> rows_;
};

/// Puts one into the table.
Result<void> add_name(Connection& connection, const NamedRow& row);

/// Takes one out of it, after index_carried().
Result<void> drop_name(Connection& connection, const NamedRow& row);

/// To be called in the transaction that wrote the operation with this number and name: moves what
/// operations carry into the table once that is much.
Result<void> operation_was_added(Connection& connection, std::int64_t number, const Oid& name);

/// Settles what arrived (arrivals.h) and moves what operations carry into the table, within the
/// open transaction.
Result<void> index_carried(Connection& connection);

/// Says that the table is complete as of the newest operation.
Result<void> set_indexed_to_newest(Connection& connection);

}  // namespace spoor::store::sqlite
