#include "store/sqlite/audit.h"

#include <sqlite3.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "store/commit_head.h"
#include "store/sqlite/arrivals.h"
#include "store/sqlite/codec.h"
#include "store/sqlite/compression.h"
#include "store/sqlite/dictionaries.h"
#include "store/sqlite/folded.h"
#include "store/sqlite/keys.h"
#include "store/sqlite/names.h"
#include "store/sqlite/numbers.h"
#include "store/sqlite/objects.h"
#include "store/sqlite/ref_cache.h"

namespace spoor::store::sqlite {
namespace {

using Step = Statement::Step;

// Checks the last columns, which all tables of objects have.
std::string_view packing_problem(const Statement& row, int codec,
                                 const std::optional<std::string>& body) {
  const bool are_typed =
      row.is_integer(codec) && row.is_integer(codec + 1) && row.is_blob(codec + 2);
  if (!are_typed) return "a column has the wrong type";
  if (!is_known_codec(row.integer(codec))) {
    return "it is packed in a format of a newer spoor";
  }
  if ((row.integer(codec) & kFramed) != 0 && !is_sealed(row.bytes(codec + 2))) {
    return "its packed bytes are not those that were written";
  }
  return body ? "" : "its bytes do not unpack to a body of its size";
}

std::string_view object_problem(const Statement& row, const std::optional<std::string>& body) {
  if (!row.is_blob(0) || !Oid::from_bytes(row.bytes(0))) return "its name is not 32 bytes";
  const auto kind = kind_in(row, 1);
  if (!row.is_integer(1) || !kind) return "its kind is unknown";
  if (kind == Kind::commit) return "a commit is in the wrong table";
  return packing_problem(row, 2, body);
}

std::string_view commit_problem(const Statement& row, const std::optional<std::string>& body) {
  if (!row.is_blob(0) || !Oid::from_bytes(row.bytes(0))) return "its name is not 32 bytes";
  return packing_problem(row, 1, body);
}

// Checks the places of commits' rows, in order of place.
class PlaceWatch {
 public:
  // Returns whether a readable row's place is right, given the rows before it.
  bool is_sound(Handle place, const Oid& oid, std::string_view body) {
    const bool follows = place == place_ + 1 && position_of(place) > 0;
    const bool is_sound = is_place(place) && (!follows || first_parent_of(body) == oid_);
    place_ = place;
    oid_ = oid;
    return is_sound;
  }

 private:
  Handle place_ = 0;
  Oid oid_;
};

// Detects that the last rows of objects, in order of handle or place, are not in an index. A
// transaction either adds the names of its rows to the index or lets its operation carry them; so
// such rows remain if the newest operation is lost.
class NewestRows {
 public:
  void take(Handle handle, bool is_named) {
    // New rows are at the end of their segment, or at the end of all objects.
    if (is_place(handle) && segment_of(handle) != segment_) {
      segment_ = segment_of(handle);
      is_behind_unnamed_ = false;
    }
    if (is_named) has_named_ = true;
    if (is_named && is_behind_unnamed_) is_elsewhere_ = true;
    if (!is_named) has_unnamed_ = is_behind_unnamed_ = true;
  }

  bool are_unnamed() const { return has_unnamed_ && has_named_ && !is_elsewhere_; }

 private:
  Handle segment_ = 0;
  bool is_behind_unnamed_ = false;
  bool has_unnamed_ = false;
  bool has_named_ = false;
  bool is_elsewhere_ = false;  // An unnamed row precedes a named one in its segment or table.
};

// A row that was read.
struct RowSeen {
  Handle handle = 0;
  std::optional<Oid> oid;  // The name in the row.
  std::optional<Kind> kind;
  const std::string* body = nullptr;  // Null if it cannot be unpacked.
};

class Audit {
 public:
  explicit Audit(Connection& connection) : connection_(connection) {}

  Result<std::vector<Store::Finding>> run() {
    using Section = Result<void> (Audit::*)();
    for (const Section section :
         {&Audit::check_pages, &Audit::check_dictionaries, &Audit::check_objects,
          &Audit::check_commits, &Audit::check_arrivals, &Audit::check_lost_dictionaries,
          &Audit::check_names, &Audit::check_operations, &Audit::check_folded}) {
      const auto done = (this->*section)();
      if (done) continue;
      // Damage ends a section, not the audit; any other error is returned.
      if (done.error().code != Error::Code::corrupt) return done.error();
      add("file", done.error().message);
    }
    return std::move(findings_);
  }

 private:
  void add(std::string subject, std::string_view problem) {
    findings_.push_back({std::move(subject), std::string(problem)});
  }

  // Runs SQLite's own check of its pages.
  Result<void> check_pages() {
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(connection_.handle(), "PRAGMA quick_check(100)", -1, &prepared,
                           nullptr) != SQLITE_OK) {
      return connection_.error();
    }
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> owner(prepared,
                                                                           sqlite3_finalize);
    Statement rows(prepared);
    while (TRY(connection_.next(rows))) {
      if (rows.bytes(0) != "ok") add("file", rows.bytes(0));
    }
    return {};
  }

  Result<void> check_dictionaries() {
    for (auto& each : TRY(damaged_dictionaries(connection_))) findings_.push_back(std::move(each));
    return {};
  }

  Result<void> check_objects() {
    Statement keys = TRY(connection_.use(Query::objects_from));
    keys.bind(1, kBeforeAll);
    while (TRY(connection_.next(keys))) {
      const Handle handle = keys.integer(0);
      Statement row = TRY(connection_.use(Query::object_at));
      const bool is_read = TRY(connection_.next_readable(row.bind(1, handle)));
      const auto body = is_read ? object_body(connection_, row, 2) : std::nullopt;
      std::string_view problem = is_read ? object_problem(row, body) : "its row cannot be read";
      if (problem.empty() && (handle < 1 || is_place(handle)))
        problem = "its handle is not that of an object";
      const auto oid = is_read ? Oid::from_bytes(row.bytes(0)) : std::nullopt;
      const auto kind = is_read ? kind_in(row, 1) : std::nullopt;
      if (is_read && !body) note_dictionary(row, 2);
      TRY(check_row({handle, oid, kind, body ? &*body : nullptr}, problem));
    }
    return {};
  }

  Result<void> check_commits() {
    Statement keys = TRY(connection_.use(Query::commits_from));
    keys.bind(1, kBeforeAll);
    PlaceWatch watch;
    while (TRY(connection_.next(keys))) {
      const Handle place = keys.integer(0);
      Statement row = TRY(connection_.use(Query::commit_at));
      const bool is_read = TRY(connection_.next_readable(row.bind(1, place)));
      const auto oid = is_read ? Oid::from_bytes(row.bytes(0)) : std::nullopt;
      const auto body = is_read ? text_body(connection_, row, 1) : std::nullopt;
      std::string_view problem = is_read ? commit_problem(row, body) : "its row cannot be read";
      if (problem.empty() && !watch.is_sound(place, *oid, *body)) {
        problem = "its row follows one that is not its first parent's";
      }
      if (is_read && !body) note_dictionary(row, 1);
      TRY(check_row({place, oid, Kind::commit, body ? &*body : nullptr}, problem));
    }
    return {};
  }

  // Checks the arrivals in the operations' rows. check_operations() checks that these carry their
  // names.
  Result<void> check_arrivals() {
    if (!TRY(takes_arrivals(connection_))) return {};
    Statement keys = TRY(connection_.use(Query::operation_keys));
    while (TRY(connection_.next(keys))) {
      Statement row = TRY(connection_.use(Query::arrived));
      if (!TRY(connection_.next_readable(row.bind(1, keys.integer(0))))) {
        add(fmt::format("operation {}", keys.integer(0)),
            "the objects that came with it cannot be read");
        continue;
      }
      if (row.bytes(0).empty()) continue;
      const auto arrivals = row.is_blob(0) ? arrivals_in(row.bytes(0)) : std::nullopt;
      if (!arrivals) {
        add(fmt::format("operation {}", keys.integer(0)),
            "the objects that came with it are malformed");
        continue;
      }
      check_arrivals_of(keys.integer(0), *arrivals,
                        arrival_names(row.bytes(1), keys.integer(0), arrivals->size()));
    }
    return {};
  }

  void check_arrivals_of(std::int64_t operation, const std::vector<Arrival>& arrivals,
                         const std::vector<std::optional<Oid>>& names) {
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const Arrival& each = arrivals[i];
      const auto body = unpack_body(connection_, each.kind, each.codec, each.size, each.bytes);
      if (names[i] && body) continue;
      add(names[i] ? names[i]->hex() : fmt::format("object {} of operation {}", i + 1, operation),
          body ? "the operation that it came with does not carry its name"
               : "its bytes do not unpack to a body of its size");
    }
  }

  Result<void> check_folded() {
    for (auto& each : TRY(damaged_folded_names(connection_))) findings_.push_back(std::move(each));
    return {};
  }

  // Checks one row, and the index entry of its name.
  Result<void> check_row(const RowSeen& row, std::string_view problem) {
    if (!problem.empty()) add(TRY(subject_of(row)), problem);
    if (!row.oid) return {};
    const auto found = handle_of(connection_, *row.oid);
    if (!found && found.error().code != Error::Code::corrupt) return found.error();
    if (!found) return {};  // The index itself is damaged; check_names() reports that once.
    const std::optional<Handle>& indexed = *found;
    newest_rows_.take(row.handle, indexed || TRY(is_damaged_name(row)));
    if (indexed == row.handle) return {};
    add(TRY(subject_of(row)),
        indexed ? "the index names another row for it" : "the index does not have its row's name");
    return {};
  }

  // Returns whether a row's name that is not in the index was damaged: then the index has the row's
  // handle, or the bytes have another name.
  Result<bool> is_damaged_name(const RowSeen& row) {
    if (keys_.empty()) TRY(load_keys());
    if (keys_.contains(row.handle) || !row.kind || row.body == nullptr) return true;
    return object_name(*row.kind, *row.body) != *row.oid;
  }

  // Counts a body that does not unpack, which may need a missing dictionary.
  void note_dictionary(const Statement& row, int codec) {
    const bool is_framed = row.is_integer(codec) && is_known_codec(row.integer(codec)) &&
                           (row.integer(codec) & kFramed) != 0;
    if (!is_framed || !row.is_blob(codec + 2) || !is_sealed(row.bytes(codec + 2))) return;
    if (const auto number = dictionary_of(row.bytes(codec + 2)); number != 0) ++wanted_[number];
  }

  Result<void> check_lost_dictionaries() {
    for (const auto& [number, rows] : wanted_) {
      if (TRY(has_dictionary(connection_, number))) continue;  // It or the row is damaged.
      add(fmt::format("dictionary {}", number),
          fmt::format("is not there, and {} packed with it", rows == 1 ? "a row is" : "rows are"));
    }
    return {};
  }

  // Returns a name for a damaged row: its key in the index, completed by the row's hash or name
  // that begins with it; without a key, the row's own name or number.
  Result<std::string> subject_of(const RowSeen& row) {
    if (keys_.empty()) TRY(load_keys());
    const auto key = keys_.find(row.handle);
    std::optional<Oid> hashed;
    if (row.kind && row.body != nullptr) hashed = object_name(*row.kind, *row.body);
    for (const auto& name : {hashed, row.oid}) {
      if (name && key != keys_.end() && name->hex().starts_with(key->second)) return name->hex();
    }
    if (key != keys_.end()) return key->second;
    if (row.oid) return row.oid->hex();
    return fmt::format("row {} of {}", row.handle, is_place(row.handle) ? "commits" : "objects");
  }

  Result<void> load_keys() {
    Statement rows = TRY(connection_.use(Query::all_names));
    Step step;
    while ((step = rows.step()) == Step::row) {  // As far as readable.
      if (is_key(rows.bytes(0))) keys_.emplace(rows.integer(1), digits_of(rows.bytes(0)));
    }
    if (const auto carried = carried_names(connection_)) {
      for (const NamedRow& entry : *carried) keys_.emplace(entry.handle, entry.oid.hex());
    }
    return {};
  }

  // Checks that every name has its row. The rows' names were checked with the rows.
  Result<void> check_names() {
    Statement rows = TRY(connection_.use(Query::all_names));
    while (TRY(connection_.next(rows))) {
      const Handle handle = rows.integer(1);
      if (!is_key(rows.bytes(0)) || !rows.is_blob(0) || !rows.is_integer(1)) {
        add(fmt::format("row {}", handle), "its entry in the index is malformed");
        continue;
      }
      TRY(check_entry(rows.bytes(0), handle));
    }
    for (const NamedRow& entry : TRY(carried_names(connection_))) {
      TRY(check_entry(entry.oid.view(), entry.handle));
    }
    return {};
  }

  Result<void> check_entry(std::string_view key, Handle handle) {
    if (is_arrival(handle)) {
      ArrivalReader reader(connection_);
      const bool is_there = TRY(reader.find(handle)).has_value();
      if (!is_there) add(digits_of(key), "it is not in the row of the operation that it came with");
      return {};
    }
    Statement row =
        TRY(connection_.use(is_place(handle) ? Query::commit_oid_at : Query::object_oid_at));
    const Step step = row.bind(1, handle).step();
    if (step == Step::done) {
      findings_.push_back({digits_of(key), "the index names a row that is not there", true});
    }
    if (step == Step::row && !row.bytes(0).starts_with(key)) {
      add(digits_of(key), "the index names another object's row");
    }  // Unreadable rows were reported already.
    return {};
  }

  Result<void> check_operations() {
    std::optional<std::uint64_t> snapshot;
    if (const auto number = snapshot_number(connection_)) {
      snapshot = *number;
    } else {
      add("refs", number.error().message);
    }
    RefLog log;
    if (snapshot == 0U) TRY(check_snapshot(log));

    Statement keys = TRY(connection_.use(Query::operation_keys));
    bool is_whole = true;  // No damage so far, so the replayed refs are right.
    std::optional<Operation> before;
    std::optional<Oid> chain;
    while (TRY(connection_.next(keys))) {
      const std::int64_t number = keys.integer(0);
      if (number < 1) {
        add(fmt::format("operation {}", number), "its number is not that of an operation");
        continue;
      }
      Statement row = TRY(connection_.use(Query::operation_at));
      const bool is_read = TRY(connection_.next_readable(row.bind(1, number)));
      const auto body = is_read ? text_body(connection_, row, 2) : std::nullopt;
      const auto operation =
          body ? parse_operation(*body) : Result<Operation>(corrupt("it cannot be read"));
      const Oid name = operation_name(body.value_or(""));
      const std::string problem =
          operation_problem(row, is_read, body, name, operation, log, before, chain);
      if (!problem.empty()) {
        add(fmt::format("operation {}", number), problem);
        is_whole = false;
      }
      if (!TRY(are_carried_sound(connection_, number))) {
        add(fmt::format("operation {}", number),
            "the names that it carries cannot be read; 'spoor store rebuild' restores them");
      }
      if (!operation) {  // The next one cannot be compared with it.
        log = RefLog(static_cast<std::uint64_t>(number), log.refs());
        before.reset();
        continue;
      }
      log.apply(static_cast<std::uint64_t>(number), name, *operation);
      chain = chain_name(*operation, name);
      before = *operation;
      if (row.bytes(1) != name.view()) before.reset();  // Reported; accept either name next.
      if (snapshot == log.number() && is_whole) TRY(check_snapshot(log));
    }
    check_newest(log.number(), snapshot.value_or(0));
    return {};
  }

  // No operation names the newest, so its loss shows only in the data written with it.
  void check_newest(std::uint64_t newest, std::uint64_t snapshot) {
    const auto indexed = derived_number(connection_, kNamesIndexedKey, "the index");
    const auto index =
        indexed ? static_cast<std::uint64_t>(std::max<std::int64_t>(*indexed, 0)) : 0;
    if (const auto known = std::max(snapshot, index); known > newest) {
      add(fmt::format("operation {}", known),
          fmt::format("is not there, but {} as of it",
                      snapshot == known ? "the snapshot of the refs is" : "the index of names is"));
    } else if (newest_rows_.are_unnamed()) {
      add(fmt::format("operation {}", newest + 1),
          "is not there, but the rows that came last are, and no index has them: it may have been "
          "the newest");
    }
  }

  // `before` and `chain` are from the previous row's operation, which may be damaged.
  std::string operation_problem(const Statement& row, bool is_read,
                                const std::optional<std::string>& body, const Oid& name,
                                const Result<Operation>& operation, const RefLog& log,
                                const std::optional<Operation>& before,
                                const std::optional<Oid>& chain) {
    if (!is_read) return "its row cannot be read";
    if (!row.is_blob(1)) return "a column has the wrong type";
    if (const auto problem = packing_problem(row, 2, body); !problem.empty()) {
      return std::string(problem);
    }
    if (!operation) return operation.error().message;
    if (row.bytes(1) != name.view()) return "its name is not its hash";

    const auto number = static_cast<std::uint64_t>(row.integer(0));
    const bool is_first = log.number() == 0;
    if (is_first && operation->folded) return {};  // A checkpoint replaces all before it.
    if (number != log.number() + 1) {
      return fmt::format("it follows operation {}: some are missing", log.number());
    }
    if (is_first) return operation->prev ? "the first operation names one before it" : "";
    if (!before) return {};
    if (!operation->folded && operation->prev != chain) return "'prev' is not the operation before";
    if (operation->time < before->time) return "its time is before the last operation's";
    return {};
  }

  Result<void> check_snapshot(const RefLog& log) {
    const auto table = snapshot_refs(connection_);
    if (!table) return table.error();
    for (const auto& [name, target] : *table) {
      const auto expected = log.ref(name);
      if (!expected) add(name, "the refs' snapshot has it, and the log does not");
      if (expected && *expected != target) add(name, "the refs' snapshot differs from the log");
    }
    for (const auto& [name, target] : log.refs()) {
      if (!table->contains(name)) add(name, "the log has it, and the refs' snapshot does not");
    }
    return {};
  }

  Connection& connection_;
  std::vector<Store::Finding> findings_;
  std::unordered_map<Handle, std::string> keys_;  // Digits. Loaded at the first damage.
  NewestRows newest_rows_;
  std::map<DictionaryNumber, std::uint64_t> wanted_;  // Rows that need each and do not unpack.
};

}  // namespace

Result<std::vector<Store::Finding>> audit(Connection& connection) {
  return Audit(connection).run();
}

Result<bool> are_places_sound(Connection& connection) {
  PlaceWatch watch;
  bool is_sound = true;
  TRY(each_commit(connection, [&](Handle place, const CommitRow& found) {
    is_sound = watch.is_sound(place, found.oid, found.body);
    return is_sound;
  }));
  return is_sound;
}

}  // namespace spoor::store::sqlite
