// SQLite files of other programs: read in one state, and never written.

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "store/sqlite/foreign_file.h"

using spoor::Error;
using spoor::Result;
using spoor::store::sqlite::ForeignFile;
namespace fs = std::filesystem;

namespace {

/// A folder with a database, `f.db`, that another connection writes.
class Folder {
 public:
  Folder() {
    std::string path = (fs::temp_directory_path() / "spoor-foreign-XXXXXX").string();
    path_ = ::mkdtemp(path.data());
    open();
    run("PRAGMA journal_mode=WAL; CREATE TABLE t(a, b); INSERT INTO t VALUES(1, 'one')");
  }
  ~Folder() {
    close();
    fs::remove_all(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void open() { REQUIRE(sqlite3_open(file().c_str(), &writer_) == SQLITE_OK); }
  void close() { sqlite3_close(std::exchange(writer_, nullptr)); }
  void run(const char* sql) {
    REQUIRE(sqlite3_exec(writer_, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  std::string file() const { return (path_ / "f.db").string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

 private:
  fs::path path_;
  sqlite3* writer_ = nullptr;
};

std::int64_t count(ForeignFile& file) {
  std::int64_t rows = -1;
  REQUIRE(file.read([&]() -> Result<void> {
    auto row = TRY(file.select("SELECT count(*) FROM t"));
    TRY(row.next());
    rows = row.integer(0).value();
    return {};
  }));
  return rows;
}

}  // namespace

TEST_SUITE("store/foreign_file") {
  TEST_CASE("what another connection has in its log is read, and the next read has what is new") {
    Folder folder;
    const auto file = ForeignFile::open(folder.file(), nullptr).value();
    CHECK(count(*file) == 1);
    folder.run("INSERT INTO t VALUES(2, 'two')");
    CHECK(count(*file) == 2);
    folder.run("PRAGMA wal_checkpoint(TRUNCATE)");
    folder.run("INSERT INTO t VALUES(3, 'three')");
    CHECK(count(*file) == 3);
  }

  TEST_CASE("a file that nobody has open is read without a file next to it") {
    Folder folder;
    folder.close();
    REQUIRE(folder.files() == 1);
    const auto file = ForeignFile::open(folder.file(), nullptr).value();
    CHECK(count(*file) == 1);
    CHECK(folder.files() == 1);
  }

  TEST_CASE("a program that begins to write such a file meanwhile has it read again") {
    Folder folder;
    folder.close();
    const auto file = ForeignFile::open(folder.file(), nullptr).value();
    int runs = 0;
    std::int64_t rows = 0;
    REQUIRE(file->read([&]() -> Result<void> {
      auto row = TRY(file->select("SELECT count(*) FROM t"));
      TRY(row.next());
      rows = row.integer(0).value();
      if (++runs > 1) return {};
      folder.open();
      folder.run("INSERT INTO t VALUES(2, 'two'); PRAGMA wal_checkpoint(TRUNCATE)");
      return {};
    }));
    CHECK(runs == 2);
    CHECK(rows == 2);
  }

  TEST_CASE("one that opens, writes and closes it during each attempt is an error") {
    Folder folder;
    folder.close();
    const auto file = ForeignFile::open(folder.file(), nullptr).value();
    const auto read = file->read([&]() -> Result<void> {
      folder.open();
      folder.run("INSERT INTO t SELECT a, hex(randomblob(9000)) FROM t");
      folder.close();
      return {};
    });
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Error::Code::denied);
  }

  TEST_CASE("a view is no table, and cannot be read") {
    Folder folder;
    folder.run("CREATE VIEW v AS SELECT * FROM t");
    const auto file = ForeignFile::open(folder.file(), nullptr).value();
    REQUIRE(file->read([&]() -> Result<void> {
      CHECK(TRY(file->columns_of("t")) == std::vector<std::string>{"a", "b"});
      CHECK(TRY(file->columns_of("v")).empty());
      CHECK(file->select("SELECT * FROM v").error().code == Error::Code::denied);
      CHECK(file->select("INSERT INTO t VALUES(1, 2)").value().next().error().code ==
            Error::Code::denied);
      return {};
    }));
  }

  TEST_CASE("a statement ends soon after it is cancelled") {
    Folder folder;
    std::atomic<bool> cancel = false;
    const auto file = ForeignFile::open(folder.file(), &cancel).value();
    const auto read = file->read([&]() -> Result<void> {
      auto rows = TRY(file->select(
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"));
      cancel = true;
      TRY(rows.next());
      return {};
    });
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Error::Code::interrupted);
  }

  TEST_CASE("a link leads to the log of the file itself") {
    Folder folder;
    const std::string link = folder.file() + "-link";
    fs::create_symlink(folder.file(), link);
    const auto file = ForeignFile::open(link, nullptr).value();
    CHECK(count(*file) == 1);
  }

  TEST_CASE("a file that is not there, or is not one of SQLite, is an error") {
    CHECK(ForeignFile::open("/nonexistent/x.db", nullptr).error().code == Error::Code::io);
    Folder folder;
    const std::string text = folder.file() + ".txt";
    std::ofstream(text) << std::string(5000, 'x');
    const auto file = ForeignFile::open(text, nullptr);
    const bool is_refused = !file || !file.value()->read([&]() -> Result<void> {
      TRY(file.value()->columns_of("t"));
      return {};
    });
    CHECK(is_refused);
  }
}
