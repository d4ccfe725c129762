#include "store/sqlite/objects.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "store/commit_head.h"
#include "store/sqlite/codec.h"
#include "store/sqlite/schema.h"

namespace spoor::store::sqlite {
namespace {

// Returns the first column of a query's first row, if there is one.
Result<std::optional<std::int64_t>> first_integer(Connection& connection, Statement& statement) {
  if (!TRY(connection.next(statement))) return std::optional<std::int64_t>();
  return std::optional(statement.integer(0));
}

Result<std::optional<Object>> read_commit_at(Connection& connection, Handle place, const Oid& oid) {
  Statement row = TRY(connection.use(Query::commit_at));
  row.bind(1, place);
  if (!TRY(connection.next(row))) return damaged(oid, "the index names a row that is not there");
  auto found = commit_row(connection, row);
  if (!found) return unreadable(connection, oid);
  if (found->oid != oid) return damaged(oid, "the index names another commit's row");
  return std::optional(Object{Kind::commit, std::move(found->body)});
}

Result<std::optional<Object>> read_object_at(Connection& connection, Handle handle,
                                             const Oid& oid) {
  Statement row = TRY(connection.use(Query::object_at));
  row.bind(1, handle);
  if (!TRY(connection.next(row))) return damaged(oid, "the index names a row that is not there");
  auto found = object_row(connection, row);
  if (!found) return unreadable(connection, oid);
  if (found->oid != oid) return damaged(oid, "the index names another object's row");
  return std::optional(Object{found->kind, std::move(found->body)});
}

Result<std::optional<Object>> read_at(Connection& connection, Handle handle, const Oid& oid) {
  if (is_arrival(handle)) return std::optional(TRY(ArrivalReader(connection).read(handle, oid)));
  return is_place(handle) ? read_commit_at(connection, handle, oid)
                          : read_object_at(connection, handle, oid);
}

// Reads the row that the index most likely means, and sets `at`; nullopt if that is not the
// object's row, or cannot be read: the row that handle_of() finds shows why.
Result<std::optional<Object>> read_likely(Connection& connection, const Oid& oid, Handle& at) {
  const auto handle = TRY(likely_handle(connection, oid));
  if (!handle || is_arrival(*handle)) return std::optional<Object>();
  at = *handle;
  auto found = read_at(connection, at, oid);
  if (!found && found.error().code == Error::Code::corrupt) return std::optional<Object>();
  return found;
}

// Returns the next handle; an invalid one if a forged row has the last.
Result<Handle> next_handle(Connection& connection) {
  Statement row = TRY(connection.use(Query::last_handle));
  const auto last = TRY(first_integer(connection, row));
  return std::clamp<Handle>(last.value_or(0), 0, kFirstPlace - 1) + 1;
}

// Adds an object; false if it is already stored.
Result<bool> add_row(RowAdder& rows, const NewObject& object, NewNames& names) {
  const Handle handle = TRY(rows.place(object.kind, object.body));
  if (!TRY(names.claim(object.oid, handle))) return false;
  Packed packed;
  pack_body(object.kind, object.body, packed);
  TRY(rows.add(handle, object.oid, object.kind, packed));
  return true;
}

Result<void> drop_row(Connection& connection, const Oid& oid, Handle handle) {
  TRY(drop_name(connection, {oid, handle}));
  Statement row = TRY(connection.use(is_place(handle) ? Query::drop_commit : Query::drop_object));
  return connection.run(row.bind(1, handle));
}

}  // namespace

Error damaged(const Oid& oid, std::string_view what) {
  return corrupt(fmt::format("cannot read object '{}': {}", oid.hex(), what),
                 "run 'spoor store fsck'; 'spoor store rebuild' repairs an index");
}

Error unreadable(Connection& connection, const Oid& oid) {
  if (auto failed = connection.take_decompress_error()) return *failed;
  return damaged(oid, "its row is malformed, or packed as only a newer spoor can");
}

// Returns nullopt if the object is not in the rows around the last one. Ignores damage in other
// rows than its own, which is detected where the index leads to it.
Result<std::optional<Object>> NearbyReader::read_near(const Oid& oid) {
  Statement row = TRY(connection_.use(Query::object_near));
  row.bind(1, last_ - kNear).bind(2, last_ + kNear).bind_blob(3, oid.view());
  if (row.step() != Statement::Step::row) return std::optional<Object>();
  auto found = object_row(connection_, row);
  if (!found) return std::optional<Object>();
  last_ = row.integer(5);
  return std::optional(Object{found->kind, std::move(found->body)});
}

// Notes where the index led.
void NearbyReader::found_at(Handle handle) {
  const bool is_object = !is_place(handle) && !is_arrival(handle);
  is_near_ = is_object && last_ != 0 && handle - last_ <= kNear && last_ - handle <= kNear;
  last_ = is_object ? handle : 0;
}

Result<std::optional<Object>> NearbyReader::read(const Oid& oid) {
  if (is_near_) {
    if (auto found = TRY(read_near(oid))) return found;
  }
  Handle at = 0;
  if (auto found = TRY(read_likely(connection_, oid, at))) {
    found_at(at);
    return found;
  }
  const auto handle = TRY(handle_of(connection_, oid));
  if (!handle) return std::optional<Object>();
  found_at(*handle);
  if (is_arrival(*handle)) return std::optional(TRY(arrivals_.read(*handle, oid)));
  return read_at(connection_, *handle, oid);
}

std::optional<Kind> kind_of(std::int64_t number) {
  if (number < 0 || number >= static_cast<std::int64_t>(kKinds.size())) return std::nullopt;
  return static_cast<Kind>(number);
}

std::optional<Kind> kind_in(const Statement& row, int column) {
  return kind_of(row.integer(column));
}

std::optional<CommitRow> commit_row(Connection& connection, const Statement& row) {
  const auto oid = Oid::from_bytes(row.bytes(0));
  auto body = text_body(connection, row, 1);
  if (!oid || !body) return std::nullopt;
  return CommitRow{*oid, std::move(*body)};
}

Result<void> each_commit(Connection& connection,
                         const std::function<bool(Handle place, const CommitRow& found)>& visit) {
  Statement keys = TRY(connection.use(Query::commits_from));
  keys.bind(1, kBeforeAll);
  while (TRY(connection.next(keys))) {
    Statement row = TRY(connection.use(Query::commit_at));
    if (!TRY(connection.next_readable(row.bind(1, keys.integer(0))))) continue;
    const auto found = commit_row(connection, row);
    if (found && !visit(keys.integer(0), *found)) break;
  }
  return {};
}

std::optional<ObjectRow> object_row(Connection& connection, const Statement& row) {
  const auto oid = Oid::from_bytes(row.bytes(0));
  const auto kind = kind_in(row, 1);
  auto body = object_body(connection, row, 2);
  if (!oid || !body || !kind || kind == Kind::commit) return std::nullopt;
  return ObjectRow{*oid, *kind, std::move(*body)};
}

Result<Handle> RowAdder::place(Kind kind, std::string_view body) {
  if (kind == Kind::commit) {
    const auto parent = first_parent_of(body);
    const bool is_next = newest_ && parent == newest_->oid;
    if (is_next && position_of(newest_->handle) != kFirstPlace - 1) return newest_->handle + 1;
    return place_for(connection_, parent);
  }
  if (next_ == 0) next_ = TRY(next_handle(connection_));
  if (is_place(next_)) return invalid("the store is full: no more than 2^32 objects");
  return next_;
}

Result<void> RowAdder::add(Handle handle, const Oid& oid, Kind kind, const Packed& packed) {
  if (kind == Kind::commit) {
    Statement row = TRY(connection_.use(Query::add_commit));
    bind(row.bind(1, handle).bind_blob(2, oid.view()), 3, packed);
    newest_ = NamedRow{oid, handle};
    return connection_.run(row);
  }
  if (kind == Kind::rope) TRY(allow_ropes(connection_));
  Statement row = TRY(connection_.use(Query::add_object));
  row.bind(1, handle).bind_blob(2, oid.view()).bind(3, static_cast<std::int64_t>(kind));
  bind(row, 4, packed);
  next_ = handle + 1;
  return connection_.run(row);
}

Result<std::uint64_t> add_objects(Connection& connection, std::span<const NewObject> objects,
                                  NewNames& names) {
  const auto is_commit = [](const NewObject& object) { return object.kind == Kind::commit; };
  // Their parents may have arrived: give them places first.
  if (std::any_of(objects.begin(), objects.end(), is_commit)) TRY(names.settle());
  std::uint64_t added = 0;
  RowAdder rows(connection);
  for (const NewObject& object : objects) {
    if (TRY(add_row(rows, object, names))) added += object.body.size();
  }
  return added;
}

Result<std::uint64_t> add_arrivals(Connection& connection, std::span<const NewObject> objects,
                                   std::int64_t operation, NewNames& names, std::string& column) {
  std::uint64_t added = 0;
  std::size_t index = 0;
  RowAdder rows(connection);
  for (const NewObject& object : objects) {
    if (object.kind != Kind::commit && !may_arrive(object)) {
      if (TRY(add_row(rows, object, names))) added += object.body.size();
      continue;
    }
    if (!TRY(names.claim(object.oid, arrival(operation, index)))) continue;
    append_arrival(column, object);
    added += object.body.size();
    ++index;
  }
  return added;
}

Result<bool> drop_object(Connection& connection, const Oid& oid) {
  const auto handle = TRY(handle_of(connection, oid));
  if (handle) TRY(drop_row(connection, oid, *handle));
  return handle.has_value();
}

Result<bool> is_sound_row(Connection& connection, Handle handle) {
  Statement row = TRY(connection.use(is_place(handle) ? Query::commit_at : Query::object_at));
  if (!TRY(connection.next(row.bind(1, handle)))) return false;
  if (is_place(handle)) {
    const auto commit = commit_row(connection, row);
    return commit && object_name(Kind::commit, commit->body) == commit->oid;
  }
  const auto object = object_row(connection, row);
  return object && object_name(object->kind, object->body) == object->oid;
}

Result<void> drop_garbage(Connection& connection, const Oid& oid) {
  const auto handle = TRY(handle_of(connection, oid));
  if (!handle || !TRY(is_sound_row(connection, *handle))) return {};
  return drop_row(connection, oid, *handle);
}

Result<Handle> place_for(Connection& connection, const std::optional<Oid>& first_parent) {
  const auto parent =
      first_parent ? TRY(handle_of(connection, *first_parent)) : std::optional<Handle>();
  if (parent && is_place(*parent)) {
    Statement row = TRY(connection.use(Query::next_place));
    const auto next = TRY(first_integer(connection, row.bind(1, *parent)));
    const bool is_last = !next || segment_of(*next) != segment_of(*parent);
    if (is_last && position_of(*parent) != kFirstPlace - 1) return *parent + 1;
  }
  Statement row = TRY(connection.use(Query::last_place));
  const auto last = TRY(first_integer(connection, row));
  const Handle segment = last && is_place(*last) ? segment_of(*last) : 0;
  if (segment == segment_of(std::numeric_limits<Handle>::max())) {
    return invalid("the store is full: no place for another commit",
                   "write an archive with 'spoor store archive', then import it into a new store");
  }
  return first_of_segment(segment + 1);
}

}  // namespace spoor::store::sqlite
