#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "store/postgres/address.h"
#include "store/postgres/connection.h"

namespace spoor::store {

/// Runs a statement, whose $1 is the number of the store, as the owner of the tables.
inline Result<postgres::Rows> run_sql(const std::string& address, const char* text) {
  const auto parsed = TRY(postgres::parse_address(address));
  const auto own = TRY(postgres::Connection::open(parsed.server));
  postgres::Statement find("SELECT id FROM spoor.stores WHERE name = $1");
  const auto found = TRY(own->run(find.add(std::string_view(parsed.store))));
  postgres::Statement statement(text);
  if (std::string_view(text).find("$1") != std::string_view::npos) {
    statement.add(found.number(0, 0));
  }
  return own->run(statement);
}

/// Waits until a server has ended what clients did that are gone, and `count` others are left.
inline void await_clients(const std::string& address, std::int64_t count) {
  const auto own = postgres::Connection::open(postgres::parse_address(address)->server).value();
  const postgres::Statement others(
      "SELECT count(*) FROM pg_stat_activity "
      "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()");
  while (own->run(others).value().number(0, 0) > count) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// The same address, for another user.
inline std::string as_user(std::string address, const std::string& user) {
  const std::string owner = "user=spoor";
  return address.replace(address.find(owner), owner.size(), "user=" + user);
}

}  // namespace spoor::store
