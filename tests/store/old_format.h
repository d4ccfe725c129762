#pragma once

#include <memory>
#include <string>

#include "store/sqlite/files.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite_store.h"

namespace spoor::store::sample {

/// A new store of the first format, open: each object has a row of its own from the start, which is
/// where tests damage it.
inline std::unique_ptr<SqliteStore> create_old(const std::string& path,
                                               std::int64_t format = sqlite::kFirstFormat) {
  sqlite::write_empty_store(path, format).value();
  return SqliteStore::open(path, {.durability = SqliteStore::Durability::normal}).value();
}

}  // namespace spoor::store::sample
