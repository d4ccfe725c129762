#include "store/sqlite/sqlite_store.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "store/sqlite/version.h"
#include "tests/store/child.h"
#include "tests/store/database.h"
#include "tests/store/hex.h"
#include "tests/store/old_format.h"
#include "tests/store/sample.h"
#include "tests/store/temp_dir.h"

using namespace spoor;
using namespace spoor::store;
using namespace spoor::store::sample;

namespace {

using Options = SqliteStore::Options;
const Options kReadOnly{.mode = SqliteStore::Mode::read_only};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A store with some turns on two branches, closed, all of it in its one file.
std::string small_store(const TempDir& folder) {
  const std::string path = folder / "store.spoor";
  const auto store = create_old(path);
  History history;
  for (int i = 0; i < 10; ++i) {
    REQUIRE(append(*store, history, i % 3 == 2 ? "side" : "main", "turn " + std::to_string(i)));
  }
  return path;
}

// The same with every name in the table `names`, none carried by an operation.
std::string indexed_store(const TempDir& folder) {
  const std::string path = small_store(folder);
  REQUIRE(SqliteStore::open(path).value()->rebuild());
  return path;
}

Error refusal(const std::string& path, Options options = {}) {
  const auto opened = SqliteStore::open(path, options);
  REQUIRE_FALSE(opened);
  CHECK_FALSE(opened.error().hint.empty());
  CHECK(opened.error().message.find('\'') != std::string::npos);
  return opened.error();
}

// The findings of a store after `sql` was done to it behind its back.
std::vector<Store::Finding> findings_after(const std::string& path, const std::string& sql) {
  Database(path).run(sql);
  return SqliteStore::open(path).value()->check().value();
}

bool names(const std::vector<Store::Finding>& findings, const std::string& subject) {
  for (const auto& each : findings) {
    if (each.subject == subject) return true;
    // The index alone knows the first twelve digits of a name.
    if (subject.size() == 64 && each.subject == subject.substr(0, 12)) return true;
  }
  return false;
}

}  // namespace

TEST_SUITE("store/sqlite_store") {
  TEST_CASE("a new store is one file with our mark and format, in WAL mode") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    REQUIRE(SqliteStore::create(path));
    const std::string bytes = bytes_of(path);
    CHECK(bytes.substr(0, 16) == std::string("SQLite format 3\0", 16));
    CHECK(bytes.substr(68, 4) == "spor");
    CHECK(bytes.substr(60, 4) == std::string("\0\0\0\4", 4));
    CHECK(bytes.substr(16, 2) == std::string("\x10\0", 2));
    CHECK(bytes.substr(18, 2) == "\2\2");
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      CHECK(entry.path().filename().string().starts_with("store.spoor"));
    }
  }

  TEST_CASE("opening a store changes nothing in its file") {
    const TempDir folder;
    const std::string path = small_store(folder);
    const std::string before = bytes_of(path);
    for (const Options& options : {Options{}, kReadOnly}) {
      const auto store = SqliteStore::open(path, options).value();
      CHECK(store->refs("").value().size() == 2);
      CHECK(store->check().value().empty());
    }
    CHECK(bytes_of(path) == before);
  }

  TEST_CASE("what exists is not created again") {
    const TempDir folder;
    const std::string path = small_store(folder);
    const std::string before = bytes_of(path);
    const auto again = SqliteStore::create(path);
    REQUIRE_FALSE(again);
    CHECK(again.error().code == Error::Code::conflict);
    CHECK(SqliteStore::create(folder.path()).error().code == Error::Code::conflict);
    CHECK(bytes_of(path) == before);
  }

  TEST_CASE("a store is not made beside the log of one whose file is gone") {
    const TempDir folder;
    const std::string path = small_store(folder);
    const std::string log = "commits of a process that was killed";
    write_bytes(path + "-wal", log);
    REQUIRE(::unlink(path.c_str()) == 0);
    CHECK(SqliteStore::create(path).error().code == Error::Code::conflict);
    CHECK(::access(path.c_str(), F_OK) != 0);
    CHECK(bytes_of(path + "-wal") == log);
    REQUIRE(::unlink((path + "-wal").c_str()) == 0);
    CHECK(SqliteStore::create(path).value()->refs("").value().empty());
  }

  TEST_CASE("a store cannot be created without its folder") {
    const TempDir folder;
    CHECK(SqliteStore::create(folder / "none/store").error().code == Error::Code::not_found);
    CHECK(SqliteStore::create("").error().code == Error::Code::invalid);
  }

  TEST_CASE("what is no store is refused with a reason, and not touched") {
    const TempDir folder;
    CHECK(refusal(folder / "missing").code == Error::Code::not_found);
    CHECK(refusal(folder / "missing/too").code == Error::Code::not_found);
    CHECK(refusal(folder.path()).code == Error::Code::invalid);
    CHECK(refusal("/dev/null").code == Error::Code::invalid);

    for (const std::string_view bytes : {std::string_view(""), std::string_view("short"),
                                         std::string_view("SQLite format 3\0", 16)}) {
      write_bytes(folder / "text", bytes);
      CHECK(refusal(folder / "text").code == Error::Code::invalid);
      CHECK(bytes_of(folder / "text") == bytes);
    }
    write_bytes(folder / "text", std::string(100'000, 'x'));
    CHECK(refusal(folder / "text", kReadOnly).code == Error::Code::invalid);
  }

  TEST_CASE("another program's database is refused, and no file appears beside it") {
    const TempDir folder;
    const std::string path = folder / "other.db";
    Database(path).run("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)");
    const std::string before = bytes_of(path);
    CHECK(refusal(path).code == Error::Code::invalid);
    CHECK(bytes_of(path) == before);
    CHECK_FALSE(std::filesystem::exists(path + "-wal"));
    CHECK_FALSE(std::filesystem::exists(path + "-shm"));
    CHECK_FALSE(std::filesystem::exists(path + "-lock"));
  }

  TEST_CASE("a newer format is refused by name") {
    const TempDir folder;
    const std::string path = small_store(folder);
    Database(path).run("PRAGMA user_version=6; PRAGMA wal_checkpoint(TRUNCATE)");
    const Error error = refusal(path);
    CHECK(error.code == Error::Code::invalid);
    CHECK(error.message.find("newer spoor") != std::string::npos);
    Database(path).run("PRAGMA user_version=2; PRAGMA wal_checkpoint(TRUNCATE)");
    CHECK(refusal(path).message.find("never released") != std::string::npos);
  }

  TEST_CASE("any addition to the schema, or change of it, is refused") {
    for (const std::string_view sql :
         {"CREATE TRIGGER t AFTER INSERT ON objects BEGIN DELETE FROM commits; END",
          "CREATE VIEW v AS SELECT * FROM objects", "CREATE TABLE extra(a)", "CREATE TABLE aaa(a)",
          "CREATE INDEX i ON objects(oid)", "DROP TABLE local",
          "ALTER TABLE local ADD COLUMN more TEXT", "ALTER TABLE local RENAME TO loca1",
          "DROP TABLE refs; CREATE TABLE refs(name TEXT PRIMARY KEY, target BLOB)",
          "CREATE VIRTUAL TABLE f USING fts5(a)", "ANALYZE"}) {
      CAPTURE(sql);
      const TempDir folder;
      const std::string path = small_store(folder);
      Database(path).run(std::string(sql));
      CHECK(refusal(path).code == Error::Code::corrupt);
      CHECK(refusal(path, kReadOnly).code == Error::Code::corrupt);
    }
  }

  TEST_CASE("a store opened for reading only reads, and refuses every write") {
    const TempDir folder;
    const std::string path = small_store(folder);
    const auto store = SqliteStore::open(path, kReadOnly).value();
    const Oid tip = *store->ref(branch_ref("main")).value();
    CHECK(store->get(std::array{tip}).value()[0].has_value());
    const auto commit = store->commit(move_ref(branch_ref("new"), {}, tip));
    REQUIRE_FALSE(commit);
    CHECK(commit.error().code == Error::Code::io);
    CHECK_FALSE(store->put(std::array{blob("x")}));
    CHECK_FALSE(store->erase(std::array{tip}));
    CHECK_FALSE(store->set_local("a", "b"));
    CHECK_FALSE(store->rebuild());
    CHECK_FALSE(store->exclusive([] { return Result<void>(); }));
    CHECK(store->put_cached("a", "b"));  // May be ignored, and is.
    CHECK_FALSE(store->cached("a").value().has_value());
  }

  TEST_CASE("a file that may not be written is readable, and says why it is not writable") {
    if (geteuid() == 0) {
      MESSAGE("skipped: the permissions of files do not bind this user");
      return;
    }
    const TempDir folder;
    const std::string path = small_store(folder);
    chmod(path.c_str(), 0444);
    CHECK(refusal(path).code == Error::Code::io);
    CHECK(SqliteStore::open(path, kReadOnly).value()->refs("").value().size() == 2);
    chmod(path.c_str(), 0);
    CHECK(refusal(path, kReadOnly).code == Error::Code::io);
  }

  TEST_CASE("a store is found through a symbolic link, and by a relative path") {
    const TempDir folder;
    const std::string path = small_store(folder);
    std::filesystem::create_symlink(path, folder / "link");
    const auto linked = SqliteStore::open(folder / "link").value();
    const auto direct = SqliteStore::open(path).value();
    CHECK(linked->path() == direct->path());
    // Both queue at one lock file.
    REQUIRE(linked->set_local("a", "b"));
    CHECK_FALSE(std::filesystem::exists(folder / "link-lock"));
    CHECK(std::filesystem::exists(path + "-lock"));
  }

  TEST_CASE("a name that SQLite would read as something else is a file's name") {
    const TempDir folder;
    for (const char* name : {"file:x?mode=memory", ":memory:", "a b%20c", "-x", "é"}) {
      const std::string path = folder / name;
      REQUIRE(SqliteStore::create(path));
      CHECK(std::filesystem::is_regular_file(path));
      CHECK(SqliteStore::open(path).value()->set_local("a", "b"));
    }
  }

  TEST_CASE("the lock file may be used by whoever may write the store") {
    const TempDir folder;
    const std::string path = small_store(folder);
    std::filesystem::remove(path + "-lock");
    chmod(path.c_str(), 0660);
    REQUIRE(SqliteStore::open(path).value()->set_local("a", "b"));
    struct stat found {};
    REQUIRE(stat((path + "-lock").c_str(), &found) == 0);
    CHECK((found.st_mode & 0777) == 0660);
  }

  TEST_CASE("a chain is one segment, a fork begins another") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    const auto store = SqliteStore::create(path).value();
    History history;
    REQUIRE(append(*store, history, "main", "0"));
    const Oid root = history.last();
    REQUIRE(append(*store, history, "main", "1"));
    REQUIRE(store->commit(move_ref(branch_ref("side"), {}, root)));
    REQUIRE(append(*store, history, "side", "2"));
    REQUIRE(append(*store, history, "main", "3"));
    REQUIRE(append(*store, history, "side", "4"));
    REQUIRE(store->sweep({}));  // Which settles what arrived.
    const auto places =
        Database(path).ask("SELECT (place>>32)||'/'||(place&4294967295) FROM commits");
    CHECK(places == std::vector<std::string>{"1/0", "1/1", "1/2", "2/0", "2/1"});
  }

  TEST_CASE("the refs' snapshot is written now and then, not with every commit") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    const auto store = SqliteStore::create(path).value();
    History history;
    for (int i = 0; i < 64; ++i) REQUIRE(append(*store, history, "main", std::to_string(i)));
    CHECK(Database(path).ask("SELECT count(*) FROM refs") == std::vector<std::string>{"0"});
    REQUIRE(append(*store, history, "main", "64"));
    CHECK(Database(path).ask("SELECT count(*) FROM refs") == std::vector<std::string>{"1"});
    for (int i = 0; i < 30; ++i) REQUIRE(append(*store, history, "main", std::to_string(i)));
    const auto target = Database(path).ask("SELECT target FROM refs");
    CHECK(hex_of(target[0]) != history.last().hex());
    CHECK(SqliteStore::open(path).value()->ref(branch_ref("main")).value() == history.last());
    CHECK(store->check().value().empty());
  }

  TEST_CASE("a log that is removed or replaced under a process takes no commit along") {
    for (const bool is_replaced : {false, true}) {
      CAPTURE(is_replaced);
      const TempDir folder;
      const std::string path = folder / "store.spoor";
      const auto store = SqliteStore::create(path).value();
      History history;
      REQUIRE(append(*store, history, "main", "kept"));
      std::filesystem::rename(path + "-wal", folder / "log");
      if (is_replaced) std::filesystem::copy_file(folder / "log", path + "-wal");
      const auto refused = append(*store, history, "main", "lost");
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == Error::Code::io);
      CHECK(refused.error().message.find("-wal") != std::string::npos);
      std::filesystem::rename(folder / "log", path + "-wal");
      CHECK(append(*store, history, "side", "put back"));
    }
  }

  TEST_CASE("a store with a second name is read and not written") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    const auto store = SqliteStore::create(path).value();
    History history;
    REQUIRE(append(*store, history, "main", "before"));
    std::filesystem::create_hard_link(path, folder / "other.spoor");
    const auto refused = append(*store, history, "main", "lost");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("2 names") != std::string::npos);
    CHECK(store->refs("").value().size() == 1);
    std::filesystem::remove(folder / "other.spoor");
    CHECK(append(*store, history, "side", "alone again"));
  }

  TEST_CASE("two stores on one file see each other's commits at once") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    const auto one = SqliteStore::create(path).value();
    const auto two = SqliteStore::open(path).value();
    History history;
    for (int i = 0; i < 200; ++i) {
      Store& writer = i % 2 == 0 ? *one : *two;
      Store& reader = i % 2 == 0 ? *two : *one;
      REQUIRE(append(writer, history, "main", std::to_string(i)));
      REQUIRE(reader.ref(branch_ref("main")).value() == history.last());
    }
    CHECK(one->check().value().empty());
  }

  TEST_CASE("a file that was replaced, moved or removed is not written any more") {
    namespace fs = std::filesystem;
    for (const std::string how : {"replaced", "emptied", "moved", "removed"}) {
      CAPTURE(how);
      const TempDir folder;
      const std::string path = small_store(folder);
      const auto store = SqliteStore::open(path).value();
      History history;
      REQUIRE(append(*store, history, "new", "before"));
      fs::copy_file(path, folder / "copy");
      if (how == "replaced") fs::rename(folder / "copy", path);
      if (how == "emptied") {
        write_bytes(folder / "empty", "");
        fs::rename(folder / "empty", path);
      }
      if (how == "moved") fs::rename(path, folder / "elsewhere");
      if (how == "removed") fs::remove(path);
      const auto refused = append(*store, history, "new", "after");
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == Error::Code::io);
      CHECK(refused.error().message.find("was moved, removed or replaced") != std::string::npos);
    }
  }

  TEST_CASE("a copy in another journal mode is opened and written") {
    const TempDir folder;
    const std::string path = small_store(folder);
    Database(path).run("VACUUM INTO '" + (folder / "copy") + "'");
    const auto store = SqliteStore::open(folder / "copy").value();
    REQUIRE(store->set_local("a", "b"));
    CHECK(store->check().value().empty());
    CHECK(Database(folder / "copy").ask("PRAGMA journal_mode") == std::vector<std::string>{"wal"});
  }

  TEST_CASE("erased bytes are in neither file any more") {
    const TempDir folder;
    const std::string path = folder / "store.spoor";
    const auto store = SqliteStore::create(path).value();
    const std::string secret = "a text that must go, and be found nowhere";
    for (const std::size_t size : {std::size_t{41}, std::size_t{60'000}}) {
      std::string text = secret;
      while (text.size() < size) text += secret;
      const NewObject object = blob(text);
      REQUIRE(store->commit(move_ref(branch_ref(std::to_string(size)), {}, object.oid, {object})));
      REQUIRE(bytes_of(path + "-wal").find(secret) != std::string::npos);
      REQUIRE(store->erase(std::array{object.oid}).value() == 1);
      CHECK(bytes_of(path + "-wal").find(secret) == std::string::npos);
      CHECK(bytes_of(path).find(secret) == std::string::npos);
    }
  }

  TEST_CASE("an unknown packing is refused, not shown") {
    const TempDir folder;
    const std::string path = small_store(folder);
    Database(path).run("UPDATE objects SET codec=7 WHERE handle=3");
    const auto store = SqliteStore::open(path).value();
    const auto oid =
        Oid::from_bytes(Database(path).ask("SELECT oid FROM objects WHERE handle=3")[0]);
    const auto got = store->get(std::array{*oid});
    REQUIRE_FALSE(got);
    CHECK(got.error().code == Error::Code::corrupt);
    CHECK(got.error().message.find(oid->hex()) != std::string::npos);
  }

  TEST_CASE("check names what is wrong with a row") {
    for (const std::string_view sql :
         {"UPDATE objects SET codec=7 WHERE handle=3", "UPDATE objects SET size=1 WHERE handle=3",
          "UPDATE objects SET kind=9 WHERE handle=3", "UPDATE objects SET kind=-1 WHERE handle=3",
          "UPDATE objects SET kind=2 WHERE handle=3", "UPDATE objects SET oid=x'00' WHERE handle=3",
          "UPDATE objects SET oid=zeroblob(32) WHERE handle=3",
          "DELETE FROM objects WHERE handle=3", "UPDATE objects SET handle=50 WHERE handle=3",
          "UPDATE objects SET handle=-3 WHERE handle=3", "DELETE FROM names WHERE handle=3",
          "UPDATE names SET handle=4 WHERE handle=3",
          "UPDATE names SET handle=77 WHERE handle=3"}) {
      CAPTURE(sql);
      const TempDir folder;
      const std::string path = indexed_store(folder);
      const std::string oid =
          hex_of(Database(path).ask("SELECT oid FROM objects WHERE handle=3")[0]);
      const auto findings = findings_after(path, std::string(sql));
      CHECK(names(findings, oid));
    }
  }

  TEST_CASE("check names what is wrong with a commit's row") {
    const std::string at = " WHERE place=(1<<32)+2";
    for (const std::string& sql : std::initializer_list<std::string>{
             "UPDATE commits SET codec=7" + at, "UPDATE commits SET size=1" + at,
             "UPDATE commits SET oid=x'00'" + at, "UPDATE commits SET oid=zeroblob(32)" + at,
             "DELETE FROM commits" + at, "UPDATE commits SET place=12" + at,
             "UPDATE commits SET place=(9<<32)" + at,
             "UPDATE names SET handle=77 WHERE handle=(1<<32)+2",
             std::string("UPDATE commits SET place=-place WHERE place IN ((1<<32)+1,(1<<32)+2);"
                         "UPDATE commits SET place=(1<<32)+1 WHERE place=-(1<<32)-2;"
                         "UPDATE commits SET place=(1<<32)+2 WHERE place=-(1<<32)-1;"
                         "UPDATE names SET handle=-handle WHERE handle IN ((1<<32)+1,(1<<32)+2);"
                         "UPDATE names SET handle=(1<<32)+1 WHERE handle=-(1<<32)-2;"
                         "UPDATE names SET handle=(1<<32)+2 WHERE handle=-(1<<32)-1")}) {
      CAPTURE(sql);
      const TempDir folder;
      const std::string path = indexed_store(folder);
      const std::string oid = hex_of(Database(path).ask("SELECT oid FROM commits" + at)[0]);
      CHECK(names(findings_after(path, sql), oid));
    }
  }

  TEST_CASE("check names what is wrong with the log and the refs' snapshot") {
    const std::pair<const char*, const char*> cases[] = {
        {"DELETE FROM operations WHERE number=4", "operation 5"},
        {"DELETE FROM operations WHERE number=1", "operation 2"},
        {"UPDATE operations SET number=99 WHERE number=10", "operation 99"},
        {"UPDATE operations SET name=zeroblob(32) WHERE number=4", "operation 4"},
        {"UPDATE operations SET name=x'' WHERE number=4", "operation 4"},
        {"UPDATE operations SET body=x'00' WHERE number=4", "operation 4"},
        {"UPDATE operations SET body=CAST(replace(CAST(body AS TEXT),'tester','attacker') AS BLOB) "
         "WHERE number=4",
         "operation 4"},
        {"INSERT INTO refs VALUES('refs/heads/ghost',zeroblob(32));"
         "INSERT INTO derived VALUES(CAST('srefs' AS BLOB),CAST('4' AS BLOB))",
         "refs/heads/ghost"},
        {"INSERT INTO refs VALUES('refs/heads/ghost',zeroblob(32))", "refs/heads/ghost"},
        {"INSERT INTO derived VALUES(CAST('srefs' AS BLOB),CAST('4' AS BLOB))", "refs/heads/main"},
        {"INSERT INTO derived VALUES(CAST('srefs' AS BLOB),CAST('44' AS BLOB))", "operation 44"},
        {"INSERT INTO derived VALUES(CAST('srefs' AS BLOB),CAST('many' AS BLOB))", "refs"},
    };
    for (const auto& each : cases) {
      CAPTURE(each.first);
      const TempDir folder;
      CHECK(names(findings_after(small_store(folder), each.first), each.second));
    }
  }

  TEST_CASE("rebuild mends every derived structure") {
    const TempDir folder;
    const std::string path = small_store(folder);
    const auto refs = SqliteStore::open(path).value()->refs("").value();
    for (const std::string_view sql :
         {"DELETE FROM names", "UPDATE names SET handle=handle+1",
          "INSERT INTO names VALUES(zeroblob(32),77)", "INSERT INTO names VALUES(x'00',3)",
          "UPDATE commits SET place=place+500", "UPDATE commits SET place=-place",
          "INSERT OR REPLACE INTO refs VALUES('refs/heads/ghost',zeroblob(32))",
          "DELETE FROM refs; DELETE FROM derived", "UPDATE derived SET value=CAST('4' AS BLOB)",
          // Each row of the first segment behind another than its parent's.
          "UPDATE commits SET place=-((1<<32)+20-place%(1<<32)) WHERE place>>32=1;"
          "UPDATE commits SET place=-place WHERE place<0"}) {
      CAPTURE(sql);
      const auto findings = findings_after(path, std::string(sql));
      const auto store = SqliteStore::open(path).value();
      REQUIRE(store->rebuild());
      const auto left = store->check().value();
      CHECK(left.empty());
      CHECK(store->refs("").value() == refs);
      std::size_t length = 0;
      for (const Ref& each : refs) {
        REQUIRE(store->run(each.target, 100, Store::kAllContents,
                           [&length](const Store::RunStep& step) {
                             length += step.content != nullptr ? 1 : 0;
                             return true;
                           }));
      }
      CHECK(length == 10);
    }
  }

  TEST_CASE("a wrong place does not lead a walk astray") {
    const TempDir folder;
    const std::string path = indexed_store(folder);
    const auto before = SqliteStore::open(path).value();
    const Oid tip = *before->ref(branch_ref("main")).value();
    std::vector<Oid> expected;
    const auto into = [](std::vector<Oid>& list) {
      return [&list](const Store::RunStep& step) { return list.push_back(step.oid), true; };
    };
    REQUIRE(before->run(tip, 100, false, into(expected)));
    // Turned round, index and all: only the parents are right now.
    Database(path).run(
        "UPDATE commits SET place=-((2<<32)-1-(place-(1<<32))) WHERE place>>32=1;"
        "UPDATE commits SET place=-place WHERE place<0;"
        "UPDATE names SET handle=(SELECT place FROM commits WHERE "
        "substr(commits.oid,1,6)=names.oid) "
        "WHERE handle>>32=1");
    const auto after = SqliteStore::open(path).value();
    std::vector<Oid> seen;
    REQUIRE(after->run(tip, 100, false, into(seen)));
    CHECK(seen == expected);
  }

  TEST_CASE("who has seen operations that are gone does not carry on") {
    const TempDir folder;
    const std::string path = small_store(folder);
    const auto store = SqliteStore::open(path).value();
    REQUIRE(store->ref(branch_ref("main")));
    Database(path).run("DELETE FROM operations WHERE number>7");  // As a backup put back.
    const auto seen = store->ref(branch_ref("main"));
    REQUIRE_FALSE(seen);
    CHECK(seen.error().code == Error::Code::unavailable);
    History history;
    CHECK_FALSE(store->commit(move_ref(branch_ref("x"), {}, blob("x").oid, {blob("x")})));
    CHECK(SqliteStore::open(path).value()->ref(branch_ref("main")));
  }

  TEST_CASE("a damaged row ends neither a scan nor a check, and is named") {
    const TempDir folder;
    const std::string path = small_store(folder);
    Database database(path);
    const std::string oid = hex_of(database.ask("SELECT oid FROM objects WHERE handle=3")[0]);
    const std::string body = database.ask("SELECT body FROM objects WHERE handle=3")[0];
    // The length of the record's header: the row cannot be decoded any more.
    std::string bytes = bytes_of(path);
    const std::size_t row = bytes.find(body) - 1 - 32 - 7;
    for (const char broken : {'\x7f', '\x00', '\x03'}) {
      bytes[row] = broken;
      write_bytes(path, bytes);
      const auto store = SqliteStore::open(path).value();
      const auto findings = store->check().value();
      CHECK(names(findings, oid));
      int seen = 0;
      const auto scanned = store->scan([&seen](const StoredObject&) { return ++seen, true; });
      REQUIRE_FALSE(scanned);
      CHECK(scanned.error().code == Error::Code::corrupt);
      CHECK(seen == 19);
    }
  }

  TEST_CASE("a local fact is read whole while another process sets it") {
    const TempDir folder;
    const std::string path = small_store(folder);
    const Child setter([&path] {
      const auto store =
          SqliteStore::open(path, {.durability = SqliteStore::Durability::normal}).value();
      for (int i = 0; store->set_local("head", std::to_string(i)); ++i) {
      }
      return 1;
    });
    const auto store = SqliteStore::open(path).value();
    for (int i = 0; i < 20'000; ++i) {
      const auto head = store->local("head");
      REQUIRE_MESSAGE(head, head.error().message);
    }
  }

  TEST_CASE("pages of noise are answered with errors") {
    const TempDir folder;
    const std::string path = small_store(folder);
    const std::string whole = bytes_of(path);
    for (std::size_t page = 1; page * 4096 < whole.size(); ++page) {
      std::string bytes = whole;
      for (std::size_t i = 0; i < 4096; ++i) {
        bytes[page * 4096 + i] = static_cast<char>((i * 2654435761U + page * 40503U) >> 13U);
      }
      write_bytes(path, bytes);
      std::filesystem::remove(path + "-wal");
      const auto store = SqliteStore::open(path);
      if (!store) continue;
      CAPTURE(page);
      CHECK_FALSE((*store)->check().value().empty());
      for (const Result<void>& answer :
           {(*store)->scan([](const StoredObject&) { return true; }), (*store)->rebuild()}) {
        if (!answer) CHECK(answer.error().code == Error::Code::corrupt);
      }
    }
  }

  TEST_CASE("the versions with the WAL reset bug are known") {
    CHECK(sqlite_version().starts_with("3."));
    CHECK(has_wal_reset_bug(3'040'001));
    CHECK(has_wal_reset_bug(3'044'005));
    CHECK_FALSE(has_wal_reset_bug(3'044'006));
    CHECK(has_wal_reset_bug(3'045'000));
    CHECK(has_wal_reset_bug(3'050'006));
    CHECK_FALSE(has_wal_reset_bug(3'050'007));
    CHECK(has_wal_reset_bug(3'051'002));
    CHECK_FALSE(has_wal_reset_bug(3'051'003));
    CHECK_FALSE(has_wal_reset_bug(3'053'000));
  }
}
