#pragma once

#include <memory>

#include "store/memory_store.h"
#include "store/postgres/postgres_store.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/old_format.h"
#include "tests/store/postgres_server.h"
#include "tests/store/temp_dir.h"

// A fresh, empty store of each kind, for what holds of all. `reopen` drops what is held in the
// process, where the kind has something to come back to. `another` is a second handle on the same
// store, as another process has one, where there can be one.
namespace spoor::store {

struct InMemory {
  MemoryStore opened;
  Store& store() { return opened; }
  Store& another() { return opened; }
  void reopen() {}
};

struct InSqlite {
  TempDir folder;
  std::unique_ptr<SqliteStore> opened = SqliteStore::create(folder / "store.spoor").value();
  std::unique_ptr<SqliteStore> second;
  Store& store() { return *opened; }
  Store& another() {
    if (!second) second = SqliteStore::open(opened->path()).value();
    return *second;
  }
  void reopen() {
    opened.reset();
    opened = SqliteStore::open(folder / "store.spoor").value();
  }
};

/// Of the first format.
struct InOldSqlite : InSqlite {
  InOldSqlite() { opened = sample::create_old(folder / "old.spoor"); }
  void reopen() {
    opened.reset();
    opened = SqliteStore::open(folder / "old.spoor").value();
  }
};

/// In PostgreSQL, or in memory where no server is installed.
struct InPostgres {
  std::string address = PostgresServer::get() ? PostgresServer::get()->new_address() : "";
  std::string keys;
  std::unique_ptr<Store> opened = make();
  std::unique_ptr<Store> second;

  Store& store() { return *opened; }
  Store& another() {
    if (address.empty()) return *opened;
    if (!second) second = PostgresStore::open(address, {}).value();
    return *second;
  }
  void reopen() {
    if (address.empty()) return;
    opened.reset();
    opened = PostgresStore::open(address, {}).value();
  }

 private:
  std::unique_ptr<Store> make() const {
    if (address.empty()) return std::make_unique<MemoryStore>();
    return PostgresStore::create(address, {}, keys).value();
  }
};

/// Whose contents are sealed.
struct InSealedPostgres : InPostgres {
  InSealedPostgres() : InPostgres{.keys = new_keys()} {}

 private:
  static std::string new_keys() {
    return PostgresServer::of_keys() ? PostgresServer::of_keys()->new_address() : "";
  }
};

#define STORES InMemory, InSqlite, InOldSqlite, InPostgres, InSealedPostgres

}  // namespace spoor::store
