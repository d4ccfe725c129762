#include "store/sqlite/walk.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "store/commit_head.h"
#include "store/oid_prefix.h"
#include "store/sqlite/names.h"
#include "store/sqlite/objects.h"
#include "store/sqlite/ref_cache.h"

namespace spoor::store::sqlite {
namespace {

using Step = Statement::Step;

Error malformed_commit(Handle place) {
  return corrupt(fmt::format("the commit in row {} is malformed", place), "run 'spoor store fsck'");
}

// Returns whether the object in this row has this kind. One table has only commits, the other none.
Result<bool> is_kind(Connection& connection, Handle handle, Kind kind) {
  if (is_arrival(handle)) {
    ArrivalReader reader(connection);
    const auto found = TRY(reader.find(handle));
    return found && found->kind == kind;
  }
  if (is_place(handle) || kind == Kind::commit) return is_place(handle) && kind == Kind::commit;
  Statement row = TRY(connection.use(Query::object_kind_at));
  row.bind(1, handle);
  return TRY(connection.next(row)) && row.integer(0) == static_cast<std::int64_t>(kind);
}

// The queries to scan a table in spite of damage: first the keys, which are readable even if a row
// is not, then each row by its key.
struct ScanPlan {
  Query keys;
  Query row;
  bool are_commits;
};

// Reads one row of a scan; nullopt if it is damaged.
Result<std::optional<StoredObject>> scanned(Connection& connection, const ScanPlan& plan,
                                            Handle handle) {
  Statement row = TRY(connection.use(plan.row));
  if (!TRY(connection.next_readable(row.bind(1, handle)))) return std::optional<StoredObject>();
  if (plan.are_commits) {
    auto found = commit_row(connection, row);
    if (!found) return std::optional<StoredObject>();
    return std::optional(StoredObject{found->oid, Object{Kind::commit, std::move(found->body)}});
  }
  auto found = object_row(connection, row);
  if (!found) return std::optional<StoredObject>();
  return std::optional(StoredObject{found->oid, Object{found->kind, std::move(found->body)}});
}

// Scans a table and counts damaged rows. Returns false if the visitor stopped.
Result<bool> scan_table(Connection& connection, const ScanPlan& plan,
                        const Store::ScanVisitor& visit, std::size_t& rows,
                        std::size_t& damaged_rows) {
  Statement keys = TRY(connection.use(plan.keys));
  keys.bind(1, std::numeric_limits<Handle>::min());
  while (TRY(connection.next(keys))) {
    ++rows;
    const auto object = TRY(scanned(connection, plan, keys.integer(0)));
    if (!object) {
      ++damaged_rows;
    } else if (!visit(*object)) {
      return false;
    }
  }
  return true;
}

// Scans arrivals that are not settled. Returns false if the visitor stopped.
Result<bool> scan_arrivals(Connection& connection, const Store::ScanVisitor& visit,
                           std::size_t& rows, std::size_t& damaged_rows) {
  ArrivalReader reader(connection);
  for (const NamedRow& each : TRY(unsettled(connection))) {
    ++rows;
    auto object = reader.read(each.handle, each.oid);
    if (!object && object.error().code != Error::Code::corrupt) return object.error();
    if (!object) {
      ++damaged_rows;
    } else if (!visit({each.oid, std::move(*object)})) {
      return false;
    }
  }
  return true;
}

// Checks the number of rows: a table with damaged pages may silently have fewer rows.
Result<void> check_count(Connection& connection, std::size_t rows) {
  std::size_t names = TRY(carried_names(connection)).size();
  Statement keys = TRY(connection.use(Query::all_names));
  while (TRY(connection.next(keys))) ++names;
  if (names == rows) return {};
  return corrupt(fmt::format("the store has {} objects, and its index {}", rows, names),
                 "run 'spoor store fsck' to see which");
}

// Returns whether an operation's text moves this ref. The lines before contain no line end.
bool moves_ref(std::string_view body, std::string_view ref) {
  return ref.empty() || body.find(fmt::format("\nref {} ", ref)) != std::string_view::npos;
}

Result<std::optional<LoggedOperation>> newest_from(Connection& connection, std::int64_t number) {
  Statement row = TRY(connection.use(Query::operations_down));
  if (!TRY(connection.next(row.bind(1, number)))) return std::optional<LoggedOperation>();
  return std::optional(TRY(verified_operation(connection, row)));
}

// Returns the number of the newest operation at or before `time`; 0 if all are later. A binary
// search, since times do not decrease along the log.
Result<std::int64_t> number_at(Connection& connection, Timestamp time) {
  const auto newest = TRY(newest_from(connection, std::numeric_limits<std::int64_t>::max()));
  std::int64_t low = 0;  // All operations up to this one are early enough.
  std::int64_t high = newest ? static_cast<std::int64_t>(newest->number) : 0;
  while (low < high) {
    const std::int64_t middle = high - (high - low) / 2;  // Cannot overflow for any numbers.
    const auto logged = TRY(newest_from(connection, middle));
    if (!logged) {  // The log was folded up to here.
      low = middle;
      continue;
    }
    if (TRY(parse_operation(logged->body)).time <= time) {
      low = middle;
    } else {
      high = std::max<std::int64_t>(static_cast<std::int64_t>(logged->number), 1) - 1;
    }
  }
  return low;
}

// A walk from a commit back along its first parents.
class Walk {
 public:
  Walk(Connection& connection, std::size_t count, std::size_t contents,
       const Store::RunVisitor& visit)
      : connection_(connection),
        reader_(connection),
        absence_(connection),
        count_(count),
        contents_(contents),
        visit_(visit) {}

  Result<void> from(const Oid& tip) {
    wanted_ = tip;
    while (wanted_ && count_ > 0) {
      const auto handle = TRY(handle_of(connection_, *wanted_));
      if (!handle) return absence_.confirm(*wanted_);
      if (is_arrival(*handle)) {
        const Object object = TRY(reader_.read_arrival(*handle, *wanted_));
        if (object.kind != Kind::commit) return {};
        TRY(show(*wanted_, object.body));
      } else if (is_place(*handle)) {
        TRY(segment(*handle));
      } else {
        return {};
      }
    }
    return {};
  }

 private:
  // Walks down the table from a row, as long as the next row is the parent's.
  Result<void> segment(Handle place) {
    Statement rows = TRY(connection_.use(Query::commits_down));
    rows.bind(1, first_of_segment(segment_of(place))).bind(2, place);
    bool is_first = true;
    while (wanted_ && count_ > 0) {
      const Step step = rows.step();
      if (step == Step::failed) return connection_.error();
      const auto row = step == Step::row ? commit_row(connection_, rows) : std::nullopt;
      if (step == Step::row && !row) return malformed_commit(place);
      if (!row || row->oid != *wanted_) {
        // The parent is in another place. For the first row, though, the index named this one.
        if (is_first) return damaged(*wanted_, "the index names another commit's row");
        return {};
      }
      is_first = false;
      TRY(show(row->oid, row->body));
    }
    return {};
  }

  Result<void> show(const Oid& oid, const std::string& body) {
    std::optional<Object> content;
    if (contents_ > 0) {
      const auto name = content_of(body);
      if (name) content = TRY(reader_.read(*name));
      if (name && !content) TRY(absence_.confirm(*name));
      if (content) contents_ -= std::min(contents_, content->body.size());
    }
    wanted_ =
        visit_({oid, body, content ? &*content : nullptr}) ? first_parent_of(body) : std::nullopt;
    --count_;
    return {};
  }

  Connection& connection_;
  NearbyReader reader_;
  Absence absence_;
  std::size_t count_;
  std::size_t contents_;  // The bytes of contents that are still wanted.
  const Store::RunVisitor& visit_;
  std::optional<Oid> wanted_;
};

}  // namespace

Result<void> walk(Connection& connection, const Oid& from, std::size_t count, std::size_t contents,
                  const Store::RunVisitor& visit) {
  return Walk(connection, count, contents, visit).from(from);
}

Result<void> scan(Connection& connection, const Store::ScanVisitor& visit) {
  std::size_t rows = 0;
  std::size_t damaged_rows = 0;
  for (const ScanPlan& plan : {ScanPlan{Query::objects_from, Query::object_at, false},
                               ScanPlan{Query::commits_from, Query::commit_at, true}}) {
    if (!TRY(scan_table(connection, plan, visit, rows, damaged_rows))) return {};
  }
  if (!TRY(scan_arrivals(connection, visit, rows, damaged_rows))) return {};
  if (damaged_rows == 0) return check_count(connection, rows);
  return corrupt(fmt::format("{} objects cannot be read", damaged_rows),
                 "run 'spoor store fsck' to see which");
}

Result<std::vector<Oid>> find_names(Connection& connection, const Oid& lowest,
                                    std::string_view prefix, Kind kind, std::size_t limit) {
  const ReadTransaction reading = TRY(ReadTransaction::begin(connection));
  std::vector<Oid> found;
  for (const NamedRow& row : TRY(carried_names(connection))) {
    if (has_prefix(row.oid, prefix) && TRY(is_kind(connection, row.handle, kind)))
      found.push_back(row.oid);
  }
  const std::size_t most = found.size() + limit;  // At most `limit` from the table.
  Statement rows = TRY(connection.use(Query::names_from));
  rows.bind_blob(1, key_of(lowest));
  const std::string first_digits(prefix.substr(0, 2 * kKeySize));
  while (found.size() < most && TRY(connection.next(rows))) {
    if (!is_key(rows.bytes(0))) continue;  // A damaged index entry; check() reports it.
    if (!digits_of(rows.bytes(0)).starts_with(first_digits)) break;
    const Handle handle = rows.integer(1);
    const auto oid = TRY(oid_of_row(connection, handle));
    if (!oid || !has_prefix(*oid, prefix)) continue;
    if (TRY(is_kind(connection, handle, kind))) found.push_back(*oid);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (found.size() > limit) found.resize(limit);
  return found;
}

Result<std::optional<LoggedOperation>> operation_at(Connection& connection, std::string_view ref,
                                                    Timestamp time) {
  const std::int64_t number = TRY(number_at(connection, time));
  std::optional<std::uint64_t> below;
  Statement rows = TRY(connection.use(Query::operations_down));
  rows.bind(1, number);
  while (TRY(connection.next(rows))) {
    LoggedOperation logged = TRY(verified_operation(connection, rows));
    if (below && logged.number + 1 != *below) {
      return corrupt(fmt::format("operation {} is missing", *below - 1), "run 'spoor store fsck'");
    }
    below = logged.number;
    if (moves_ref(logged.body, ref)) return std::optional(std::move(logged));
  }
  return std::optional<LoggedOperation>();
}

}  // namespace spoor::store::sqlite
