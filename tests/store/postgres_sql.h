#pragma once

#include <string>

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

/// The same address, for another user.
inline std::string as_user(std::string address, const std::string& user) {
  const std::string owner = "user=spoor";
  return address.replace(address.find(owner), owner.size(), "user=" + user);
}

}  // namespace spoor::store
