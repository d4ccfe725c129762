#include "store/sqlite/names.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/big_endian.h"
#include "store/sha256.h"
#include "store/sqlite/arrivals.h"
#include "store/sqlite/keys.h"
#include "store/sqlite/name_tail.h"
#include "store/sqlite/numbers.h"
#include "store/sqlite/objects.h"

namespace spoor::store::sqlite {
namespace {

// The most names that an operation carries; a larger transaction adds them to the tables directly.
constexpr std::size_t kMostCarried = kMostArrivals;

// The number of names moved to the table at once. A process that opens the store and looks for a
// name that is not in the table reads up to this many.
constexpr std::size_t kLongTail = 256;

constexpr std::size_t kNameSize = 32;
constexpr std::size_t kEntrySize = kNameSize + 8;

// The size of the seal after the entries, present if any is of an arrived object, whose name is
// stored only here.
constexpr std::size_t kSealSize = 4;

void append_entry(std::string& out, const NamedRow& row) {
  out.append(row.oid.view());
  // For an arrival, the row itself determines the operation, so only the index is stored.
  const Handle handle =
      is_arrival(row.handle) ? ~static_cast<Handle>(index_of(row.handle)) : row.handle;
  append_big_endian(out, static_cast<std::uint64_t>(handle), kEntrySize - kNameSize);
}

std::optional<NamedRow> entry_at(std::string_view entries, std::int64_t operation) {
  NamedRow row{*Oid::from_bytes(entries.substr(0, kNameSize))};
  row.handle = static_cast<Handle>(big_endian(entries.substr(kNameSize, kEntrySize - kNameSize)));
  if (!is_arrival(row.handle)) return row;
  const auto index = static_cast<std::uint64_t>(~row.handle);
  if (index >= kMostArrivals) return std::nullopt;
  row.handle = arrival(operation, index);
  return row;
}

std::string_view seal_of(const Oid& hash) { return hash.view().substr(0, kSealSize); }

// Returns the operation as of which the table is complete.
Result<std::int64_t> indexed_number(Connection& connection) {
  return derived_number(connection, kNamesIndexedKey, "the index");
}

// Reads the names that later operations carry. False if the last operation read no longer has its
// number: the file was replaced.
Result<bool> read_operations(Connection& connection) {
  NameTail& tail = connection.tail();
  Statement rows = TRY(connection.use(Query::carried_names));
  rows.bind(1, tail.seen);
  bool is_known = tail.seen == tail.indexed;
  while (true) {
    const auto more = connection.next(rows);
    if (!more && more.error().code == Error::Code::corrupt) {
      return corrupt("the names that an operation carries cannot be read", kRebuildHint);
    }
    if (!TRY(more)) break;
    const std::int64_t number = rows.integer(0);
    const auto name = Oid::from_bytes(rows.bytes(1));
    const auto entries = rows.is_blob(2) ? carried_in(rows.bytes(2), number) : std::nullopt;
    if (!name || !entries) {
      return corrupt(fmt::format("the names that operation {} carries are malformed", number),
                     kRebuildHint);
    }
    if (number == tail.seen && !is_known) {
      is_known = *name == tail.seen_name;
      if (!is_known) return false;
      continue;
    }
    if (number == tail.indexed) continue;
    for (const NamedRow& row : *entries) tail.handles.insert_or_assign(row.oid, row.handle);
    tail.seen = number;
    tail.seen_name = *name;
  }
  return is_known;
}

Result<void> try_catch_up(Connection& connection) {
  NameTail& tail = connection.tail();
  const std::int64_t indexed = TRY(indexed_number(connection));
  for (bool is_known = tail.indexed == indexed;; is_known = false) {
    if (!is_known) {
      tail.handles.clear();
      tail.indexed = tail.seen = indexed;
    }
    if (TRY(read_operations(connection))) break;
    tail.indexed = -1;
  }
  tail.is_current = connection.is_in_transaction();
  return {};
}

// An error discards everything read.
Result<void> catch_up(Connection& connection) {
  if (connection.tail().is_current) return {};
  auto done = try_catch_up(connection);
  if (!done) connection.tail().forget();
  return done;
}

std::optional<Handle> carried(Connection& connection, const Oid& oid) {
  const auto& handles = connection.tail().handles;
  const auto found = handles.find(oid);
  if (found == handles.end()) return std::nullopt;
  return found->second;
}

// Adds names in the order of the table.
Result<void> add_to_table(Connection& connection, std::vector<NamedRow> rows) {
  std::sort(rows.begin(), rows.end(),
            [](const NamedRow& a, const NamedRow& b) { return a.oid < b.oid; });
  for (const NamedRow& row : rows) TRY(add_name(connection, row));
  return {};
}

// Adds a key; false if it is taken.
Result<bool> add_key(Connection& connection, std::string_view key, Handle handle) {
  Statement row = TRY(connection.use(Query::add_name));
  TRY(connection.run(row.bind_blob(1, key).bind(2, handle)));
  return connection.changes() > 0;
}

// Looks in the table only. The whole name, if it is a key, is the last of those that begin with the
// short key, which is their first; between them there may be other whole names.
Result<std::optional<Handle>> indexed_handle(Connection& connection, const Oid& oid) {
  Statement keys = TRY(connection.use(Query::handle_of_name));
  keys.bind_blob(1, key_of(oid)).bind_blob(2, oid.view());
  while (TRY(connection.next(keys))) {
    const std::string_view key = keys.bytes(0);
    const Handle handle = keys.integer(1);
    if (key == oid.view()) return std::optional(handle);
    if (key.size() != kKeySize) continue;
    const auto named = TRY(oid_of_row(connection, handle));
    if (!named || *named == oid || key_of(*named) != key) return std::optional(handle);
    // Another object whose name begins alike, unless its name is damaged; rarely reached.
    if (!TRY(is_sound_row(connection, handle))) return std::optional(handle);
  }
  return std::optional<Handle>();
}

// Returns the first bytes of a name, or of the bytes in its place in a damaged row.
std::uint64_t first_bytes(std::string_view name) {
  std::uint64_t value = 0;
  std::memcpy(&value, name.data(), std::min(name.size(), sizeof value));
  return value;
}

Result<void> set_indexed(Connection& connection, std::int64_t number) {
  return set_derived_number(connection, kNamesIndexedKey, number);
}

}  // namespace

bool is_key(std::string_view bytes) {
  return bytes.size() == kKeySize || bytes.size() == kNameSize;
}

std::string digits_of(std::string_view key) {
  Oid padded;
  std::copy(key.begin(), key.end(), padded.bytes.begin());
  return padded.hex(2 * key.size());
}

Result<std::optional<Oid>> oid_of_row(Connection& connection, Handle handle) {
  Statement row =
      TRY(connection.use(is_place(handle) ? Query::commit_oid_at : Query::object_oid_at));
  if (!TRY(connection.next_readable(row.bind(1, handle)))) return std::optional<Oid>();
  return Oid::from_bytes(row.bytes(0));
}

Result<std::optional<Handle>> handle_of(Connection& connection, const Oid& oid) {
  if (connection.tail().is_current) {
    if (const auto handle = carried(connection, oid)) return handle;
  }
  if (const auto handle = TRY(indexed_handle(connection, oid))) return handle;
  if (connection.tail().is_current) return std::optional<Handle>();
  TRY(catch_up(connection));
  return carried(connection, oid);
}

Result<std::optional<Handle>> likely_handle(Connection& connection, const Oid& oid) {
  if (connection.tail().is_current) {
    if (const auto handle = carried(connection, oid)) return handle;
  }
  Statement keys = TRY(connection.use(Query::handle_of_name));
  keys.bind_blob(1, key_of(oid)).bind_blob(2, oid.view());
  if (!TRY(connection.next(keys))) return std::optional<Handle>();
  const std::string_view key = keys.bytes(0);
  if (key.size() != kKeySize && key != oid.view()) return std::optional<Handle>();
  return std::optional<Handle>(keys.integer(1));
}

Result<void> Absence::confirm(const Oid& oid) {
  if (!rows_) TRY(read_rows());
  if (!std::binary_search(rows_->begin(), rows_->end(), first_bytes(oid.view()))) return {};
  return damaged(oid, "the index does not have its row's name");
}

Result<void> Absence::read_rows() {
  constexpr const char* kNames = "SELECT oid FROM objects UNION ALL SELECT oid FROM commits";
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(connection_.handle(), kNames, -1, &prepared, nullptr) != SQLITE_OK) {
    return connection_.error();
  }
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> owner(prepared,
                                                                         sqlite3_finalize);
  Statement row(prepared);
  std::vector<std::uint64_t> rows;
  while (TRY(connection_.next(row))) rows.push_back(first_bytes(row.bytes(0)));
  std::sort(rows.begin(), rows.end());
  rows_ = std::move(rows);
  return {};
}

std::optional<std::vector<NamedRow>> carried_in(std::string_view column, std::int64_t operation) {
  const std::size_t beyond = column.size() % kEntrySize;
  if (beyond != 0 && beyond != kSealSize) return std::nullopt;
  const std::string_view entries = column.substr(0, column.size() - beyond);
  if (beyond != 0 && column.substr(entries.size()) != seal_of(sha256(entries))) return std::nullopt;

  std::vector<NamedRow> rows;
  for (std::string_view left = entries; !left.empty(); left.remove_prefix(kEntrySize)) {
    const auto row = entry_at(left, operation);
    if (!row || (is_arrival(row->handle) && beyond == 0)) return std::nullopt;
    rows.push_back(*row);
  }
  return rows;
}

Result<bool> are_carried_sound(Connection& connection, std::int64_t number) {
  Statement row = TRY(connection.use(Query::carried_names));
  return TRY(connection.next_readable(row.bind(1, number))) && row.integer(0) == number &&
         row.is_blob(2) && carried_in(row.bytes(2), number);
}

Result<std::vector<NamedRow>> carried_names(Connection& connection) {
  TRY(catch_up(connection));
  std::vector<NamedRow> rows;
  for (const auto& [oid, handle] : connection.tail().handles) rows.push_back({oid, handle});
  return rows;
}

Result<bool> NewNames::claim(const Oid& oid, Handle handle) {
  TRY(catch_up(connection_));
  if (TRY(handle_of(connection_, oid))) return false;
  connection_.tail().handles.emplace(oid, handle);
  rows_.push_back({oid, handle});
  return true;
}

Result<void> NewNames::settle() {
  if (!rows_.empty() || TRY(unsettled(connection_)).empty()) return {};
  return index_carried(connection_);
}

Result<std::string> NewNames::carry() {
  std::string entries;
  if (rows_.size() > kMostCarried) {
    TRY(index());
    return entries;
  }
  bool has_arrived = false;
  for (const NamedRow& row : rows_) {
    append_entry(entries, row);
    has_arrived = has_arrived || is_arrival(row.handle);
  }
  if (has_arrived) entries.append(seal_of(sha256(entries)));
  return entries;
}

Result<void> NewNames::index() {
  for (const NamedRow& row : rows_) connection_.tail().handles.erase(row.oid);
  return add_to_table(connection_, std::move(rows_));
}

Result<void> add_name(Connection& connection, const NamedRow& row) {
  if (TRY(add_key(connection, key_of(row.oid), row.handle))) return {};
  if (TRY(indexed_handle(connection, row.oid))) return {};
  TRY(add_key(connection, row.oid.view(), row.handle));
  return {};
}

Result<void> drop_name(Connection& connection, const NamedRow& row) {
  Statement keys = TRY(connection.use(Query::drop_name));
  keys.bind_blob(1, key_of(row.oid)).bind_blob(2, row.oid.view()).bind(3, row.handle);
  return connection.run(keys);
}

Result<void> operation_was_added(Connection& connection, std::int64_t number, const Oid& name) {
  NameTail& tail = connection.tail();
  TRY(catch_up(connection));
  tail.seen = number;
  tail.seen_name = name;
  if (tail.handles.size() < kLongTail) return {};
  return index_carried(connection);
}

Result<void> index_carried(Connection& connection) {
  TRY(settle(connection));
  TRY(add_to_table(connection, TRY(carried_names(connection))));
  NameTail& tail = connection.tail();
  tail.handles.clear();
  tail.indexed = tail.seen;
  return set_indexed(connection, tail.seen);
}

Result<void> set_indexed_to_newest(Connection& connection) {
  connection.tail().forget();
  return set_indexed(connection, TRY(newest_number(connection)));
}

}  // namespace spoor::store::sqlite
