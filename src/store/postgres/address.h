#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spoor::store::postgres {

/// Returns whether a store's address is that of a PostgreSQL server.
bool is_address(std::string_view address);

/// A store's address in its parts.
struct Address {
  std::string server;  ///< a URI of libpq
  std::string store;   ///< the name of the store there; `main` if the address has none
};

/// Reads `postgres://USER@HOST/DATABASE?store=NAME`: a URI of libpq
/// (https://www.postgresql.org/docs/15/libpq-connect.html, 34.1.1.2) with one parameter more, in
/// which `%XX` is a byte as in the others. Code::invalid if the name is not valid or is given
/// twice.
Result<Address> parse_address(std::string_view address);

/// A parameter of a connection.
struct Parameter {
  std::string key;
  std::string value;
};

/// How the hosts of a URI are tried: each by itself, in turn, so that one which does not answer
/// delays the others by `timeout` only.
struct Hosts {
  std::vector<std::vector<Parameter>> attempts;  ///< what each sets beyond the URI; at least one
  std::vector<Parameter> defaults;               ///< where the URI says nothing
  std::chrono::seconds timeout{10};
};

/// Reads the hosts of a URI. Of several, the one is used that takes writes, unless the URI has
/// `target_session_attrs`. Code::invalid if the URI is not one, Code::unavailable if libpq is
/// missing.
Result<Hosts> hosts_of(const std::string& server);

/// Returns a server's words in one line, without what would move a cursor.
std::string in_one_line(std::string_view text);

}  // namespace spoor::store::postgres
