#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "store/object.h"
#include "store/oid.h"
#include "store/sqlite/arrivals.h"
#include "store/sqlite/codec.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/handle.h"
#include "store/sqlite/names.h"

namespace spoor::store::sqlite {

/// Returns the Code::corrupt for a row that contradicts the index or the format.
Error damaged(const Oid& oid, std::string_view what);

/// Returns the Code::corrupt for a body that does not unpack, or the error if the disk could not be
/// read.
Error unreadable(Connection& connection, const Oid& oid);

/// Reads objects by name, faster if each was stored shortly before or after the last one, like the
/// contents of a chain: once two were near each other, it searches the rows around the last one
/// first, then the index.
class NearbyReader {
 public:
  explicit NearbyReader(Connection& connection) : connection_(connection), arrivals_(connection) {}

  /// Returns nullopt if the object is not stored. Code::corrupt if the row that the index names is
  /// missing, malformed, or another object's.
  Result<std::optional<Object>> read(const Oid& oid);

  /// Reads an object that arrived and is not settled (arrivals.h).
  Result<Object> read_arrival(Handle handle, const Oid& oid) { return arrivals_.read(handle, oid); }

 private:
  // A turn seldom has more objects.
  static constexpr Handle kNear = 4;

  Result<std::optional<Object>> read_near(const Oid& oid);
  void found_at(Handle handle);

  Connection& connection_;
  ArrivalReader arrivals_;
  Handle last_ = 0;       // Handle of the last object; 0: unknown.
  bool is_near_ = false;  // So was the one before it.
};

/// Returns the kind for a number or a column; nullopt if there is none.
std::optional<Kind> kind_of(std::int64_t number);
std::optional<Kind> kind_in(const Statement& row, int column);

/// Columns (oid, codec, size, body) of a commit's row, read and found well-formed; the hash is not
/// checked.
struct CommitRow {
  Oid oid;
  std::string body;
};

/// Reads the current row of a statement of commits. Nullopt if it is malformed.
std::optional<CommitRow> commit_row(Connection& connection, const Statement& row);

/// Visits every commit that can be read, by its place, until `visit` returns false.
Result<void> each_commit(Connection& connection,
                         const std::function<bool(Handle place, const CommitRow& found)>& visit);

/// Columns (oid, kind, codec, size, body) of another object's row.
struct ObjectRow {
  Oid oid;
  Kind kind;
  std::string body;
};
std::optional<ObjectRow> object_row(Connection& connection, const Statement& row);

/// Returns whether the row is readable and its body hashes to its name.
Result<bool> is_sound_row(Connection& connection, Handle handle);

/// Adds rows to the tables `objects` and `commits`, within the open transaction.
class RowAdder {
 public:
  explicit RowAdder(Connection& connection) : connection_(connection) {}

  /// Returns the location for the next object of that kind. A commit's body names its parent; a
  /// body that names none begins a segment.
  Result<Handle> place(Kind kind, std::string_view body);

  /// Adds an object's row.
  Result<void> add(Handle handle, const Oid& oid, Kind kind, const Packed& packed);

 private:
  Connection& connection_;
  Handle next_ = 0;                 // For objects other than commits; read when first needed.
  std::optional<NamedRow> newest_;  // The commit added last, which is the last of its segment.
};

/// Adds objects that are not stored yet to the tables, within the open transaction, and claims
/// their names. Returns the bytes added.
Result<std::uint64_t> add_objects(Connection& connection, std::span<const NewObject> objects,
                                  NewNames& names);

/// Adds objects to the tables or, if allowed, to the end of `column`, the arrivals of that
/// operation. At most kMostArrivals objects. Returns the bytes added.
Result<std::uint64_t> add_arrivals(Connection& connection, std::span<const NewObject> objects,
                                   std::int64_t operation, NewNames& names, std::string& column);

/// Removes an unneeded row like drop_object(), unless it is damaged: its bytes may be all that is
/// left of another object.
Result<void> drop_garbage(Connection& connection, const Oid& oid);

/// Removes a row and its name from the table, within the open transaction, after index_carried().
/// False if absent.
Result<bool> drop_object(Connection& connection, const Oid& oid);

/// Returns the location for a commit with this first parent: after the parent if that is the last
/// of its segment, else at the start of a new one.
Result<Handle> place_for(Connection& connection, const std::optional<Oid>& first_parent);

}  // namespace spoor::store::sqlite
