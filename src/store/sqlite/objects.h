#pragma once

#include <cstdint>
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

/// The Code::corrupt of a row that is not what the index or the format says.
Error damaged(const Oid& oid, std::string_view what);

/// The Code::corrupt of a body that does not unpack, or of the disk that did not give what it
/// needs.
Error unreadable(Connection& connection, const Oid& oid);

/// The object under a name; nothing when it is not stored. Code::corrupt when
/// the index names a row that is not there, is malformed, or is another's.
Result<std::optional<Object>> read_object(Connection& connection, const Oid& oid);

/// Reads objects like read_object(), sooner where each was stored shortly before
/// the last one: as the contents of a chain are, read from its end. Looks into
/// the few rows before the last one's, and asks the index only then.
class NearbyReader {
 public:
  explicit NearbyReader(Connection& connection) : connection_(connection), arrivals_(connection) {}
  Result<std::optional<Object>> read(const Oid& oid);

  /// The same, of one that arrived and is not settled (arrivals.h).
  Result<Object> read_arrival(Handle handle, const Oid& oid) { return arrivals_.read(handle, oid); }

 private:
  // A turn is seldom more objects than this.
  static constexpr Handle kNear = 8;

  Connection& connection_;
  ArrivalReader arrivals_;
  Handle last_ = 0;  // Where the last one was; 0 when that is unknown.
};

/// The kind that a number, or a column, says; nothing when it says none.
std::optional<Kind> kind_of(std::int64_t number);
std::optional<Kind> kind_in(const Statement& row, int column);

/// Columns (oid, codec, size, body) of a commit's row, read and found sound; its
/// hash was not checked.
struct CommitRow {
  Oid oid;
  std::string body;
};

/// The row a statement of commits stands on. Nothing when it is malformed.
std::optional<CommitRow> commit_row(Connection& connection, const Statement& row);

/// Columns (oid, kind, codec, size, body) of another object's row.
struct ObjectRow {
  Oid oid;
  Kind kind;
  std::string body;
};
std::optional<ObjectRow> object_row(Connection& connection, const Statement& row);

/// Can the row be read, and does its body hash to the name that it has?
Result<bool> is_sound_row(Connection& connection, Handle handle);

/// Adds rows to the tables `objects` and `commits`, within the open transaction.
class RowAdder {
 public:
  explicit RowAdder(Connection& connection) : connection_(connection) {}

  /// Where the next object of that kind goes. Of a commit the body says whose child it is: one that
  /// says nothing begins a segment.
  Result<Handle> place(Kind kind, std::string_view body);

  /// Puts one there.
  Result<void> add(Handle handle, const Oid& oid, Kind kind, const Packed& packed);

 private:
  Connection& connection_;
  Handle next_ = 0;  // Of the objects that are no commits; looked up when it is first needed.
};

/// Adds objects that are not there yet to the tables, within the open transaction, and claims their
/// names. How many bytes they have.
Result<std::uint64_t> add_objects(Connection& connection, std::span<const NewObject> objects,
                                  NewNames& names);

/// Adds them to the tables or, those that may, to the end of `column`, which is what arrives with
/// the operation of that number. No more than kMostArrivals objects. How many bytes they have.
Result<std::uint64_t> add_arrivals(Connection& connection, std::span<const NewObject> objects,
                                   std::int64_t operation, NewNames& names, std::string& column);

/// Drops a row that nobody needs, like drop_object(), unless it is not sound: its bytes may be all
/// that is left of another object.
Result<void> drop_garbage(Connection& connection, const Oid& oid);

/// Drops a row and its name from the table, within the open transaction, after
/// index_carried(). False when absent.
Result<bool> drop_object(Connection& connection, const Oid& oid);

/// Where a commit with this first parent goes: behind the parent when that is the
/// last of its segment, else at the start of a new one.
Result<Handle> place_for(Connection& connection, const std::optional<Oid>& first_parent);

}  // namespace spoor::store::sqlite
