// A sound store that is then damaged: rows get other values, as from a program that means harm and
// knows how names are made, and the file other bytes. It is opened or refused with a reason, and
// everything that reads it answers: what is read is what was written, fsck changes nothing, and
// what it finds sound can be read to the end. A rebuild makes the derived tables the same each
// time, and mends all that was wrong with these alone.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include "answer.h"
#include "edits.h"
#include "folder.h"
#include "input.h"
#include "store/ancestry.h"
#include "store/erased.h"
#include "store/fsck.h"
#include "store/reader.h"
#include "store/sqlite/sqlite_store.h"

using namespace spoor;
using namespace spoor::store;
using fuzz::given;
using fuzz::is_done;

namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
const SqliteStore::Options kWrite{.durability = SqliteStore::Durability::normal};
const SqliteStore::Options kRead{.mode = SqliteStore::Mode::read_only};

void require(bool claim) {
  if (!claim) std::abort();
}

// SQLite's own view of the file, for what no part of spoor would do to it.
class Database {
 public:
  explicit Database(const std::string& path) {
    require(sqlite3_open(path.c_str(), &handle_) == SQLITE_OK);
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// All values of all rows; ends where SQLite does.
  std::vector<std::string> ask(const std::string& sql, std::string_view blob = {},
                               std::optional<std::int64_t> number = {}) {
    std::vector<std::string> values;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return {};
    sqlite3_bind_blob64(statement, 1, blob.data(), blob.size(), SQLITE_STATIC);
    if (number) sqlite3_bind_int64(statement, 1, *number);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, i));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
        values.emplace_back(bytes == nullptr ? "" : bytes, bytes == nullptr ? 0 : size);
      }
    }
    sqlite3_finalize(statement);
    return values;
  }

 private:
  sqlite3* handle_ = nullptr;
};

Result<Oid> append(Store& store, const std::string& name, const std::string& text,
                   std::vector<NewObject> more = {}) {
  const Reader reader(store);
  const auto tip = TRY(store.ref(branch_ref(name)));
  std::vector<NewObject> objects = encode_content(text, Salter());
  Commit commit;
  commit.type = Type::user;
  commit.content = Content{objects.back().oid};
  commit.meta = R"({"model":"a-model","text":")" + std::to_string(text.size()) + "\"}";
  if (tip) {
    const auto parent = TRY(reader.commit(*tip));
    commit.parents = {*tip};
    commit.depth = parent->depth + 1;
    commit.gen = parent->gen + 1;
    commit.skip = TRY(skip_of_child(reader, *tip, commit.depth));
  }
  objects.push_back(new_object(Kind::commit, TRY(serialize(commit))));
  const Oid after = objects.back().oid;
  std::move(more.begin(), more.end(), std::back_inserter(objects));
  Transaction change;
  change.objects = std::move(objects);
  change.refs = {{branch_ref(name), tip, after}};
  change.actor = "tester";
  change.command = "test";
  change.time = {1'893'456'000'000'000};
  TRY(store.commit(change));
  return after;
}

// What the target damages, and what it then holds the answers against.
struct Sound {
  std::string file;
  std::map<Oid, Object> objects;
  std::vector<Ref> refs;
};

// With every table in use: two branches, a tag, local facts, something erased and, when it is
// packed, a dictionary.
Sound make_sound(const fuzz::Folder& folder, bool is_packed) {
  const std::string path = folder / "sound";
  Sound sound;
  {
    const auto store = SqliteStore::create(path, kWrite).value();
    std::uint64_t seed = 7;
    for (int i = 0; i < (is_packed ? 60 : 9); ++i) {
      std::string text = "turn " + std::to_string(i);
      for (int word = 0; word < (is_packed ? 40 : 4); ++word) {
        seed = seed * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        text += " word" + std::to_string(seed >> 55U);
      }
      require(append(*store, i % 3 == 2 ? "side" : "main", text).has_value());
    }
    const Oid tip = *store->ref(branch_ref("main")).value();
    Tag tag{.target = tip, .name = "v1", .author = "tester", .time = {1'893'456'000'000'000}};
    const NewObject named = new_object(Kind::tag, serialize(tag).value());
    Transaction change;
    change.objects = {named};
    change.refs = {{tag_ref("v1"), std::nullopt, named.oid}};
    change.actor = "tester";
    change.command = "tag";
    change.time = {1'893'456'000'000'000};
    require(store->commit(change).has_value());
    const std::vector<NewObject> loose = encode_content("loose", Salter());
    require(store->put(loose).has_value());
    require(store->set_local("head", "ref refs/heads/main").has_value());
    require(store->put_cached("state", "kept").has_value());
    if (is_packed) require(store->pack([] { return false; })->rows > 0);
    sound.refs = store->refs("").value();
    require(store
                ->scan([&](const StoredObject& each) {
                  sound.objects.emplace(each.oid, each.object);
                  return true;
                })
                .has_value());
    require(fsck(*store)->is_sound());
  }
  Database(path).ask("PRAGMA wal_checkpoint(TRUNCATE)");
  sound.file = fuzz::read_file(path);
  fuzz::remove_database(path);
  return sound;
}

struct Column {
  const char* table;
  const char* key;
  const char* name;
  bool is_derived = false;
};

constexpr std::array kColumns = {
    Column{"commits", "place", "place"},
    Column{"commits", "place", "oid"},
    Column{"commits", "place", "codec"},
    Column{"commits", "place", "size"},
    Column{"commits", "place", "body"},
    Column{"objects", "handle", "handle"},
    Column{"objects", "handle", "oid"},
    Column{"objects", "handle", "kind"},
    Column{"objects", "handle", "codec"},
    Column{"objects", "handle", "size"},
    Column{"objects", "handle", "body"},
    Column{"operations", "number", "number"},
    Column{"operations", "number", "name"},
    Column{"operations", "number", "codec"},
    Column{"operations", "number", "size"},
    Column{"operations", "number", "body"},
    Column{"operations", "number", "names", true},
    Column{"names", "oid", "oid", true},
    Column{"names", "oid", "handle", true},
    Column{"refs", "name", "name", true},
    Column{"refs", "name", "target", true},
    Column{"derived", "key", "key", true},
    Column{"derived", "key", "value", true},
    Column{"local", "key", "key"},
    Column{"local", "key", "value"},
    Column{"dictionaries", "number", "number"},
    Column{"dictionaries", "number", "serves"},
    Column{"dictionaries", "number", "learned"},
    Column{"dictionaries", "number", "hash"},
    Column{"dictionaries", "number", "body"},
};

constexpr std::string_view kIsText = "serves name key value";  // Some are blobs: STRICT says which.

// Bytes under their right name, in place of a row's.
void forge(Database& database, const Column& column, const std::string& where, fuzz::Input& input) {
  const std::string table = column.table;
  const unsigned kind = input.byte() % 8;
  const std::string body(input.bytes(input.byte()));
  Oid name;
  if (table == "operations") {
    name = operation_name(body);
  } else if (table == "commits") {
    name = object_name(Kind::commit, body);
  } else if (table == "objects") {
    name = object_name(static_cast<Kind>(std::min(kind, 6U)), body);
    database.ask("UPDATE objects SET kind=?1" + where, {}, kind);
  } else {
    return;
  }
  database.ask("UPDATE " + table + " SET body=?1,codec=0,size=length(?1)" + where, body);
  database.ask("UPDATE " + table + (table == "operations" ? " SET name=?1" : " SET oid=?1") + where,
               name.view());
}

// One row's value, as the input says. True when it is derived data that was touched.
bool edit_row(Database& database, fuzz::Input& input) {
  const Column& column = kColumns[input.byte() % kColumns.size()];
  const unsigned how = input.byte();
  const std::string table = column.table;
  const std::string key = column.key;
  const std::string name = column.name;
  const std::string where = " WHERE " + key + "=(SELECT " + key + " FROM " + table + " ORDER BY " +
                            key + " LIMIT 1 OFFSET " + std::to_string(input.byte()) +
                            "%max(1,(SELECT count(*) FROM " + table + ")))";
  const std::string set = "UPDATE OR IGNORE " + table + " SET " + name + "=";
  const bool may_be_text = kIsText.find(name) != std::string_view::npos;
  switch (how % 6) {
    case 0:
      database.ask("DELETE FROM " + table + where);
      return column.is_derived && table != "operations";
    case 1:
      database.ask(set + "?1" + where, {}, static_cast<std::int64_t>(input.number(8)));
      break;
    case 2:
      database.ask(set + name + "+?1" + where, {}, static_cast<std::int8_t>(input.byte()));
      break;
    case 3: {
      const std::string bytes(input.bytes(input.byte()));
      database.ask(set + "?1" + where, bytes);
      if (may_be_text) database.ask(set + "CAST(?1 AS TEXT)" + where, bytes);
      break;
    }
    case 4: {
      const auto old = database.ask("SELECT " + name + " FROM " + table + where);
      if (old.empty() || old[0].empty()) break;
      std::string bytes = old[0];
      const std::size_t at = input.number(2) % bytes.size();
      const std::string_view put = input.bytes(1 + input.byte() % 8);
      bytes.replace(at, std::min(put.size(), bytes.size() - at), put);
      database.ask(set + "?1" + where, bytes);
      if (may_be_text) database.ask(set + "CAST(?1 AS TEXT)" + where, bytes);
      break;
    }
    default:
      if (column.is_derived) return true;
      forge(database, column, where, input);
      break;
  }
  return column.is_derived;
}

// What a store answers is what was written, or an error; whether it is sound.
bool read_all(const SqliteStore& store, const Sound& sound) {
  const Reader reader(store);
  for (const auto& [oid, object] : sound.objects) {
    if (object.kind == Kind::commit) {
      const auto commit = reader.commit(oid);
      if (given(commit)) require(serialize(**commit).value() == object.body);
    } else if (object.kind == Kind::blob) {
      const auto content = reader.content(oid);
      if (given(content)) require(**content == blob_content(object.body).value());
    }
    const auto found = store.find(oid.hex().substr(0, 8), object.kind, 2);
    if (given(found)) require(found->size() <= 2);
  }
  std::uint64_t number = 0;
  while (true) {
    const auto logged = store.operations(number, 7);
    if (!given(logged) || logged->empty()) break;
    for (const LoggedOperation& each : *logged) {
      require(each.number > number);
      number = each.number;
    }
  }
  const auto newest = store.newest_operation();
  given(newest);
  given(store.operation_at(branch_ref("main"), {1'893'456'000'000'000}));
  given(store.operation_at("", {0}));
  given(store.loose(0));
  given(store.local("head"));
  given(store.cached("state"));
  given(store.ref(branch_ref("main")));

  const auto report = fsck(store);
  if (!given(report)) return false;
  for (const auto& problem : report->problems) require(!problem.message.empty());
  const bool is_sound = report->is_sound();
  const auto refs = store.refs("");
  if (!given(refs)) {
    require(!is_sound);
    return false;
  }
  for (const Ref& ref : *refs) {
    const auto tip = reader.peel(ref.target);
    const auto walked = tip ? reader.run(*tip, kAll, [](const NamedCommit&) { return true; })
                            : Result<void>(tip.error());
    require(is_done(walked) || !is_sound);
  }
  const auto scanned = store.scan([&](const StoredObject& each) {
    require(!is_sound || object_name(each.object.kind, each.object.body) == each.oid);
    return true;
  });
  require(is_done(scanned) || !is_sound);
  return is_sound;
}

std::vector<std::string> derived_tables(const std::string& path) {
  Database database(path);
  std::vector<std::string> all = database.ask("SELECT oid,handle FROM names ORDER BY oid");
  for (const char* sql :
       {"SELECT name,target FROM refs ORDER BY name", "SELECT key,value FROM derived ORDER BY key",
        "SELECT number,names FROM operations ORDER BY number"}) {
    const auto more = database.ask(sql);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

void check(const std::string& path, const Sound& sound, bool is_only_derived, bool packs) {
  const std::string before = fuzz::read_file(path);
  bool was_sound = false;
  for (const auto& options : {kRead, kWrite}) {
    const auto opened = SqliteStore::open(path, options);
    if (!given(opened)) continue;
    was_sound = read_all(**opened, sound);
  }
  require(fuzz::read_file(path) == before);

  const auto opened = SqliteStore::open(path, kWrite);
  if (!given(opened)) {
    require(!is_only_derived);
    return;
  }
  SqliteStore& store = **opened;
  const auto refs = store.refs("");
  // What fsck finds sound is not corrupt; but its header may say that nobody is to write it.
  const auto is_answered = [&](const Error* problem) {
    if (problem == nullptr) return true;
    return !is_only_derived && !(was_sound && problem->code == Error::Code::corrupt);
  };
  const auto rebuilt = store.rebuild();
  const bool is_rebuilt = is_done(rebuilt);
  require(is_answered(is_rebuilt ? nullptr : &rebuilt.error()));
  if (is_rebuilt) {
    const auto tables = derived_tables(path);
    const bool is_sound = read_all(store, sound);
    require(is_sound || (!was_sound && !is_only_derived));
    if (was_sound) require(store.refs("").value() == refs.value());
    if (is_only_derived) require(store.refs("").value() == sound.refs);
    require(is_done(store.rebuild()));
    require(derived_tables(path) == tables);
  }
  const auto added = append(store, "main", "one more");
  if (given(added) && (was_sound || is_only_derived)) {
    const auto commit = Reader(store).commit(*added);
    require(commit.has_value() && store.ref(branch_ref("main")).value() == *added);
  }
  require(is_answered(added ? nullptr : &added.error()));
  if (!packs) return;
  given(store.pack([] { return false; }));
  is_done(store.compact());
}

}  // namespace

// The first byte: which store, in its lowest bit; whether it is packed in the end, in its highest;
// between them, how many rows are edited before the bytes of the file are (edits.h).
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  static const std::array stores = {make_sound(folder, false), make_sound(folder, true)};
  const std::string path = folder / "store";
  fuzz::Input input(data, size);
  const unsigned first = input.byte();
  const Sound& sound = stores[first & 1U];
  fuzz::remove_database(path);
  fuzz::write_file(path, sound.file);
  bool is_only_derived = true;
  if (first / 2 % 8 > 0) {
    Database database(path);
    for (unsigned i = 0; i < first / 2 % 8; ++i) is_only_derived &= edit_row(database, input);
  }
  is_only_derived &= input.is_done();
  std::string file = fuzz::read_file(path);
  fuzz::damage(file, input);
  fuzz::write_file(path, file);
  check(path, sound, is_only_derived, first >= 0x80);
  return 0;
}
