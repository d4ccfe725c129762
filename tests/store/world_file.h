#pragma once

#include <string>

#include "store/sqlite/sqlite_store.h"
#include "tests/store/database.h"
#include "tests/store/world.h"

namespace spoor::store::sample {

/// Bytes as SQL writes them.
inline std::string sql_blob(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "x'";
  for (const unsigned char byte : bytes) {
    text.append(1, kDigits[byte >> 4U]).append(1, kDigits[byte & 15U]);
  }
  return text + "'";
}

/// Makes a store file of a world, whatever is wrong with it. The objects go the
/// usual way, so that the index and the places are sound.
inline void write_world(const World& world, const std::string& path) {
  const auto store = SqliteStore::create(path, {.durability = SqliteStore::Durability::normal});
  store.value()->put(world.objects).value();

  Database file(path);
  file.run("BEGIN");
  for (const LoggedOperation& each : world.log) {
    file.run("INSERT INTO operations(number,name,codec,size,body,names) VALUES(" +
             std::to_string(each.number) + "," + sql_blob(each.name.view()) + ",0," +
             std::to_string(each.body.size()) + "," + sql_blob(each.body) + ",x'')");
  }
  for (const auto& [name, target] : world.refs) {
    file.run("INSERT INTO refs VALUES('" + name + "'," + sql_blob(target.view()) + ")");
  }
  const std::uint64_t newest = world.log.empty() ? 0 : world.log.back().number;
  file.run("INSERT INTO derived VALUES(x'7372656673'," + sql_blob(std::to_string(newest)) + ")");
  file.run("COMMIT");
}

}  // namespace spoor::store::sample
