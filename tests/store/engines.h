#pragma once

#include <memory>

#include "store/memory_store.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/store/old_format.h"
#include "tests/store/temp_dir.h"

// A fresh, empty store of each kind, for what holds of all. `reopen` drops what is held in the
// process, where the kind has something to come back to.
namespace spoor::store {

struct InMemory {
  MemoryStore opened;
  Store& store() { return opened; }
  void reopen() {}
};

struct InSqlite {
  TempDir folder;
  std::unique_ptr<SqliteStore> opened = SqliteStore::create(folder / "store.spoor").value();
  Store& store() { return *opened; }
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

}  // namespace spoor::store
