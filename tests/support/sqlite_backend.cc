#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "store/sqlite/sqlite_store.h"
#include "tests/support/backend.h"

namespace spoor::testing {
namespace {

using store::Oid;

/// A connection of our own, beside the store's: it knows nothing of names and
/// hashes. For one statement after the other.
class RawDatabase {
 public:
  static Result<std::unique_ptr<RawDatabase>> open(const std::string& path) {
    auto database = std::make_unique<RawDatabase>();
    if (sqlite3_open_v2(path.c_str(), &database->handle_, SQLITE_OPEN_READWRITE, nullptr) !=
        SQLITE_OK) {
      return io_error("cannot open the file to forge it");
    }
    return database;
  }

  RawDatabase() = default;
  RawDatabase(const RawDatabase&) = delete;
  RawDatabase& operator=(const RawDatabase&) = delete;
  ~RawDatabase() { sqlite3_close(handle_); }

  /// Runs one statement with blobs and texts bound in order; the number of rows changed.
  struct Value {
    std::string_view bytes;
    bool is_text = false;
  };
  Result<int> run(const char* sql, const std::vector<Value>& values) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr) != SQLITE_OK) return failed();
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> owner(statement,
                                                                           sqlite3_finalize);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int size = static_cast<int>(values[i].bytes.size());
      const int place = static_cast<int>(i) + 1;
      if (values[i].is_text) {
        sqlite3_bind_text(statement, place, values[i].bytes.data(), size, SQLITE_TRANSIENT);
      } else {
        sqlite3_bind_blob(statement, place, values[i].bytes.data(), size, SQLITE_TRANSIENT);
      }
    }
    if (sqlite3_step(statement) != SQLITE_DONE) return failed();
    return sqlite3_changes(handle_);
  }

 private:
  Error failed() const {
    return io_error(std::string("forging failed: ") + sqlite3_errmsg(handle_));
  }

  sqlite3* handle_ = nullptr;
};

// Where files come and go without a disk, if there is such a place.
std::filesystem::path quick_folder() {
  std::error_code ignored;
  const std::filesystem::path memory = "/dev/shm";
  if (std::filesystem::is_directory(memory, ignored)) return memory;
  return std::filesystem::temp_directory_path();
}

class SqliteBackend final : public Backend {
 public:
  SqliteBackend() : folder_(quick_folder() / ("spoor-test-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }

  ~SqliteBackend() override {
    std::error_code ignored;  // A folder that stays behind in /tmp harms nobody.
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string name() const override { return "sqlite"; }

  Result<std::unique_ptr<store::Store>> create() override {
    path_ = (folder_ / ("store-" + std::to_string(++count_))).string();
    return std::unique_ptr<store::Store>(TRY(store::SqliteStore::create(path_, options())));
  }

  Result<std::unique_ptr<store::Store>> open() override {
    return std::unique_ptr<store::Store>(TRY(store::SqliteStore::open(path_, options())));
  }

  Result<void> forge(const Forgery& forgery) override {
    TRY(TRY(open())->sweep({}));  // Now each object has a row of its own.
    const auto database = TRY(RawDatabase::open(path_));
    const auto oid = forgery.oid.view();
    int changed = 0;
    if (forgery.object) {
      // The size column is right for the new bytes, so that only the hash tells.
      const std::string& body = forgery.object->body;
      for (const char* sql : {"UPDATE objects SET size=length(?1),body=?1 WHERE oid=?2",
                              "UPDATE commits SET size=length(?1),body=?1 WHERE oid=?2"}) {
        changed += TRY(database->run(sql, {{body}, {oid}}));
      }
    } else {
      for (const char* sql :
           {"DELETE FROM objects WHERE oid=?1", "DELETE FROM commits WHERE oid=?1"}) {
        changed += TRY(database->run(sql, {{oid}}));
      }
    }
    if (changed != 1) return not_found("there is no row to forge");
    return {};
  }

  // The table of refs is a snapshot as of some operation. The forgery is one as of
  // the newest, right but for this branch: the most believable lie.
  Result<void> forge_branch(const std::string& name, const Oid& to) override {
    const auto refs = TRY(TRY(open())->refs(""));
    const auto database = TRY(RawDatabase::open(path_));
    TRY(database->run("DELETE FROM refs", {}));
    for (const store::Ref& ref : refs) {
      const Oid& target = ref.name == store::branch_ref(name) ? to : ref.target;
      TRY(database->run("INSERT INTO refs(name,target) VALUES(?1,?2)",
                        {{ref.name, true}, {target.view()}}));
    }
    TRY(
        database->run("INSERT OR REPLACE INTO derived(key,value) SELECT CAST('srefs' AS BLOB),"
                      "CAST(CAST(max(number) AS TEXT) AS BLOB) FROM operations",
                      {}));
    return {};
  }

 private:
  // No power cut is tested here, so no test need wait for the disk.
  static store::SqliteStore::Options options() {
    return {.mode = store::SqliteStore::Mode::read_write,
            .durability = store::SqliteStore::Durability::normal};
  }

  std::filesystem::path folder_;
  std::string path_;
  int count_ = 0;
};

}  // namespace

std::unique_ptr<Backend> sqlite_backend() { return std::make_unique<SqliteBackend>(); }

}  // namespace spoor::testing
