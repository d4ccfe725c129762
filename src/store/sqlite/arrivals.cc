#include "store/sqlite/arrivals.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "store/commit_head.h"
#include "store/sqlite/codec.h"
#include "store/sqlite/keys.h"
#include "store/sqlite/names.h"
#include "store/sqlite/objects.h"
#include "store/sqlite/schema.h"

namespace spoor::store::sqlite {
namespace {

// A larger one is mostly pages of its own, and to write them twice costs more than a row does.
constexpr std::size_t kMostBytes = 8U << 10U;

// Before the bytes of each: kind and codec, one byte each; size, and how many bytes follow, four
// each, the highest first.
constexpr std::size_t kHeadSize = 10;

void append_number(std::string& out, std::size_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(number >> shift));
}

std::size_t number_in(std::string_view bytes) {
  std::size_t number = 0;
  for (const char byte : bytes) number = number << 8U | static_cast<unsigned char>(byte);
  return number;
}

std::optional<Kind> kind_of(std::string_view head) {
  const auto number = static_cast<unsigned char>(head[0]);
  if (number > static_cast<unsigned char>(Kind::attest)) return std::nullopt;
  return static_cast<Kind>(number);
}

Error malformed(std::int64_t operation) {
  return corrupt(fmt::format("the objects that came with operation {} are malformed", operation),
                 "run 'spoor fsck'; 'spoor rebuild' keeps what can be read");
}

// Puts one into a table, as it is packed. Where it is now.
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

Result<void> settle_row(Connection& connection, RowAdder& rows, std::int64_t operation,
                        std::vector<NamedRow>& objects) {
  Statement row = TRY(connection.use(Query::arrived));
  if (!TRY(connection.next(row.bind(1, operation)))) return malformed(operation);
  const std::string column(row.bytes(0));
  row.reset();
  const auto arrivals = arrivals_in(column);
  if (!arrivals) return malformed(operation);
  std::sort(objects.begin(), objects.end(), [](const NamedRow& a, const NamedRow& b) {
    return index_of(a.handle) < index_of(b.handle);
  });
  for (const NamedRow& each : objects) {
    if (index_of(each.handle) >= arrivals->size()) return malformed(operation);
    connection.tail().handles[each.oid] =
        TRY(add_row(connection, rows, each.oid, (*arrivals)[index_of(each.handle)]));
  }
  return {};
}

// What an operation's row has beside the names and objects that came with it.
struct BareRow {
  std::int64_t number = 0;
  std::string name;
  Packed packed;
};

// Writes the rows from that number on again, without what came with them. Together, behind all
// others: shortened where they are they would leave most of each page empty for good.
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

// The next row, where there is one and it can be read. A disk that does not give it is an error:
// what it holds is not lost.
Result<bool> is_row(Connection& connection, Statement& statement) {
  auto more = connection.next(statement);
  if (!more && more.error().code == Error::Code::corrupt) return false;
  return more;
}

// What to call each object of a row: by the names that it carries, as far as they can be read, else
// by its hash.
void salvage_row(Connection& connection, std::int64_t operation, std::string_view names,
                 const std::vector<Arrival>& arrivals, std::vector<Salvaged>& found) {
  std::vector<std::optional<Oid>> oids(arrivals.size());
  for (const NamedRow& each : carried_in(names, operation).value_or(std::vector<NamedRow>())) {
    if (is_arrival(each.handle) && index_of(each.handle) < oids.size()) {
      oids[index_of(each.handle)] = each.oid;
    }
  }
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const Arrival& each = arrivals[i];
    if (!oids[i]) {
      const auto body = unpack_body(connection, each.kind, each.codec, each.size, each.bytes);
      if (!body) continue;
      oids[i] = object_name(each.kind, *body);
    }
    found.push_back({*oids[i], each.kind, each.codec, each.size, std::string(each.bytes)});
  }
}

}  // namespace

Result<bool> takes_arrivals(Connection& connection) {
  return TRY(connection.format()) >= kArrivalsFormat;
}

bool may_arrive(const NewObject& object) { return object.body.size() <= kMostBytes; }

void append_arrival(std::string& column, const NewObject& object) {
  Packed packed;
  pack_body(object.kind, object.body, packed);
  column.push_back(static_cast<char>(object.kind));
  column.push_back(static_cast<char>(packed.codec));
  append_number(column, static_cast<std::size_t>(packed.size));
  append_number(column, packed.bytes.size());
  column.append(packed.bytes);
}

std::optional<std::vector<Arrival>> arrivals_in(std::string_view column) {
  std::vector<Arrival> found;
  while (!column.empty()) {
    if (column.size() < kHeadSize || found.size() == kMostArrivals) return std::nullopt;
    const std::string_view head = column.substr(0, kHeadSize);
    const auto kind = kind_of(head);
    const std::size_t length = number_in(head.substr(6));
    column.remove_prefix(kHeadSize);
    if (!kind || length > column.size()) return std::nullopt;
    found.push_back({*kind, static_cast<unsigned char>(head[1]),
                     static_cast<std::int64_t>(number_in(head.substr(2, 4))),
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

Result<std::optional<Kind>> ArrivalReader::kind(Handle handle) {
  const auto found = TRY(find(handle));
  return found ? std::optional(found->kind) : std::optional<Kind>();
}

Result<void> settle(Connection& connection) {
  std::map<std::int64_t, std::vector<NamedRow>> by_operation;
  for (const NamedRow& each : TRY(carried_names(connection))) {
    if (is_arrival(each.handle)) by_operation[operation_of(each.handle)].push_back(each);
  }
  RowAdder rows(connection);
  for (auto& [operation, objects] : by_operation) {
    TRY(settle_row(connection, rows, operation, objects));
  }
  return by_operation.empty() ? Result<void>()
                              : clear_rows(connection, by_operation.begin()->first);
}

Result<std::vector<Salvaged>> salvage_arrivals(Connection& connection) {
  std::vector<Salvaged> found;
  if (!TRY(takes_arrivals(connection))) return found;
  Statement keys = TRY(connection.use(Query::operation_keys));
  while (TRY(is_row(connection, keys))) {  // Damaged pages hide what is behind them.
    Statement row = TRY(connection.use(Query::arrived));
    if (!TRY(is_row(connection, row.bind(1, keys.integer(0))))) continue;
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
