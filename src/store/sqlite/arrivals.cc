#include "store/sqlite/arrivals.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "base/big_endian.h"
#include "store/commit_head.h"
#include "store/sqlite/codec.h"
#include "store/sqlite/keys.h"
#include "store/sqlite/names.h"
#include "store/sqlite/objects.h"
#include "store/sqlite/schema.h"

namespace spoor::store::sqlite {
namespace {

// The most bytes of an arriving object. A larger one fills pages of its own, and writing these
// twice costs more than a row.
constexpr std::size_t kMostBytes = 8U << 10U;

// The header before each object's bytes: kind and codec, one byte each; size and number of bytes,
// four each, big-endian.
constexpr std::size_t kNumberSize = 4;
constexpr std::size_t kHeadSize = 2 + 2 * kNumberSize;

Error malformed(std::int64_t operation) {
  return corrupt(fmt::format("the objects that came with operation {} are malformed", operation),
                 "run 'spoor store fsck'; 'spoor store rebuild' keeps what can be read");
}

// Adds a packed object to a table. Returns its new location.
Result<Handle> add_row(Connection& connection, RowAdder& rows, const Oid& oid,
                       const Arrival& object) {
  const auto body = object.kind == Kind::commit ? unpack_body(connection, object.kind, object.codec,
                                                              object.size, object.bytes)
                                                : std::nullopt;
  const Handle handle = TRY(rows.place(object.kind, body.value_or("")));
  Packed packed;
  packed.codec = object.codec;
  packed.size = object.size;
  packed.bytes = object.bytes;
  TRY(rows.add(handle, oid, object.kind, packed));
  return handle;
}

// An operation's row without its arrivals and their names.
struct BareRow {
  std::int64_t number = 0;
  std::string name;
  Packed packed;
};

// Rewrites the rows from operation `first` on without their arrivals, together after all others:
// shortened in place, they would leave most of each page empty permanently.
Result<void> clear_rows(Connection& connection, std::int64_t first) {
  std::deque<BareRow> bare;
  {
    Statement rows = TRY(connection.use(Query::operations_from));
    rows.bind(1, first);
    while (TRY(connection.next(rows))) {
      const bool is_typed =
          rows.is_blob(1) && rows.is_integer(2) && rows.is_integer(3) && rows.is_blob(4);
      if (!is_typed) return malformed(rows.integer(0));
      BareRow& row = bare.emplace_back();
      row.number = rows.integer(0);
      row.name = rows.bytes(1);
      row.packed.codec = rows.integer(2);
      row.packed.size = rows.integer(3);
      row.packed.own = rows.bytes(4);
      row.packed.bytes = row.packed.own;
    }
  }
  Statement drop = TRY(connection.use(Query::drop_operations));
  TRY(connection.run(drop.bind(1, first)));
  for (const BareRow& each : bare) {
    Statement row = TRY(connection.use(Query::add_operation));
    row.bind(1, each.number).bind_blob(2, each.name).bind_blob(6, "");
    bind(row, 3, each.packed);
    TRY(connection.run(row));
  }
  return {};
}

// Appends the objects of a row to `found`, named by the names that the row carries, or else by
// their hashes.
void salvage_row(Connection& connection, std::int64_t operation, std::string_view names,
                 const std::vector<Arrival>& arrivals, std::vector<Salvaged>& found) {
  const auto carried = arrival_names(names, operation, arrivals.size());
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const Arrival& each = arrivals[i];
    std::optional<Oid> oid = carried[i];
    if (!oid) {
      const auto body = unpack_body(connection, each.kind, each.codec, each.size, each.bytes);
      if (!body) continue;
      oid = object_name(each.kind, *body);
    }
    found.push_back({*oid, each.kind, each.codec, each.size, std::string(each.bytes)});
  }
}

}  // namespace

Result<bool> takes_arrivals(Connection& connection) {
  return TRY(connection.format()) >= kArrivalsFormat;
}

bool may_arrive(const NewObject& object) {
  return object.body.size() <= kMostBytes && object.kind != Kind::rope;
}

void append_arrival(std::string& column, const NewObject& object) {
  Packed packed;
  pack_body(object.kind, object.body, packed);
  column.push_back(static_cast<char>(object.kind));
  column.push_back(static_cast<char>(packed.codec));
  append_big_endian(column, static_cast<std::uint64_t>(packed.size), kNumberSize);
  append_big_endian(column, packed.bytes.size(), kNumberSize);
  column.append(packed.bytes);
}

std::optional<std::vector<Arrival>> arrivals_in(std::string_view column) {
  std::vector<Arrival> found;
  while (!column.empty()) {
    if (column.size() < kHeadSize || found.size() == kMostArrivals) return std::nullopt;
    const std::string_view head = column.substr(0, kHeadSize);
    const auto kind = kind_of(static_cast<unsigned char>(head[0]));
    const std::size_t length = big_endian(head.substr(2 + kNumberSize));
    column.remove_prefix(kHeadSize);
    if (!kind || length > column.size()) return std::nullopt;
    found.push_back({*kind, static_cast<unsigned char>(head[1]),
                     static_cast<std::int64_t>(big_endian(head.substr(2, kNumberSize))),
                     column.substr(0, length)});
    column.remove_prefix(length);
  }
  return found;
}

Result<std::optional<Arrival>> ArrivalReader::find(Handle handle) {
  if (operation_ != operation_of(handle)) {
    operation_ = 0;
    Statement row = TRY(connection_.use(Query::arrived));
    if (!TRY(connection_.next(row.bind(1, operation_of(handle))))) return std::optional<Arrival>();
    column_ = row.bytes(0);
    auto arrivals = arrivals_in(column_);
    if (!arrivals) return std::optional<Arrival>();
    arrivals_ = std::move(*arrivals);
    operation_ = operation_of(handle);
  }
  if (index_of(handle) >= arrivals_.size()) return std::optional<Arrival>();
  return std::optional(arrivals_[index_of(handle)]);
}

Result<Object> ArrivalReader::read(Handle handle, const Oid& oid) {
  const auto found = TRY(find(handle));
  if (!found) return damaged(oid, "it is not in the row of the operation that it came with");
  auto body = unpack_body(connection_, found->kind, found->codec, found->size, found->bytes);
  if (!body) return unreadable(connection_, oid);
  return Object{found->kind, std::move(*body)};
}

std::vector<std::optional<Oid>> arrival_names(std::string_view names, std::int64_t operation,
                                              std::size_t count) {
  std::vector<std::optional<Oid>> oids(count);
  for (const NamedRow& each : carried_in(names, operation).value_or(std::vector<NamedRow>())) {
    if (is_arrival(each.handle) && index_of(each.handle) < count) {
      oids[index_of(each.handle)] = each.oid;
    }
  }
  return oids;
}

Result<std::vector<NamedRow>> unsettled(Connection& connection) {
  std::vector<NamedRow> arrived = TRY(carried_names(connection));
  std::erase_if(arrived, [](const NamedRow& each) { return !is_arrival(each.handle); });
  std::sort(arrived.begin(), arrived.end(),
            [](const NamedRow& a, const NamedRow& b) { return a.handle > b.handle; });
  return arrived;
}

Result<void> settle(Connection& connection) {
  const std::vector<NamedRow> arrived = TRY(unsettled(connection));
  if (arrived.empty()) return {};
  RowAdder rows(connection);
  ArrivalReader reader(connection);
  for (const NamedRow& each : arrived) {
    const auto object = TRY(reader.find(each.handle));
    if (!object) return malformed(operation_of(each.handle));
    connection.tail().handles[each.oid] = TRY(add_row(connection, rows, each.oid, *object));
  }
  return clear_rows(connection, operation_of(arrived.front().handle));
}

Result<std::vector<Salvaged>> salvage_arrivals(Connection& connection) {
  std::vector<Salvaged> found;
  if (!TRY(takes_arrivals(connection))) return found;
  Statement keys = TRY(connection.use(Query::operation_keys));
  while (TRY(connection.next_readable(keys))) {  // Damaged pages hide the rows after them.
    Statement row = TRY(connection.use(Query::arrived));
    if (!TRY(connection.next_readable(row.bind(1, keys.integer(0))))) continue;
    const auto arrivals = arrivals_in(row.bytes(0));
    if (!arrivals || arrivals->empty()) continue;
    salvage_row(connection, keys.integer(0), row.bytes(1), *arrivals, found);
  }
  return found;
}

Result<void> add_salvaged(Connection& connection, std::span<const Salvaged> objects) {
  RowAdder rows(connection);
  for (const Salvaged& each : objects) {
    if (TRY(handle_of(connection, each.oid))) continue;
    const Arrival object{each.kind, each.codec, each.size, each.bytes};
    TRY(add_name(connection, {each.oid, TRY(add_row(connection, rows, each.oid, object))}));
  }
  return {};
}

}  // namespace spoor::store::sqlite
