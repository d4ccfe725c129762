#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/postgres/address.h"
#include "store/postgres/connection.h"
#include "store/postgres/key_tree.h"
#include "store/postgres/patience.h"

namespace spoor::store::postgres {

/// The keys of a sealed store, in a database other than the store's: a tree of keys, by its nodes,
/// and one key for cached data. For one thread at a time. A call waits for the server as those of a
/// store do; every one may return the errors of Connection::run().
class KeyDatabase {
 public:
  /// `address` names the keys as it names a store (postgres/address.h). Does not connect yet.
  KeyDatabase(Address address, Patience patience)
      : address_(std::move(address)), patience_(once_noticed(std::move(patience), is_noticed_)) {}

  /// Makes new keys; `cache` is that of cached data. Code::conflict if there are some at this
  /// address; Code::invalid if `store` is on the same server, whose log and backups would have the
  /// keys next to what they encrypt. Does not wait for a server that is away.
  static Result<void> create(const Address& address, const Key& cache, Connection& store,
                             const Patience& patience);

  /// Removes what create() made for a store that was not made then, if it is there: `cache` is the
  /// SHA-256 of the key, which is still the same.
  static Result<void> remove_unused(const Address& address, std::string_view cache,
                                    const Patience& patience);

  /// Removes the keys, if there are some.
  Result<void> remove();

  /// Returns nodes that cover these addresses, so far as their keys are not destroyed; those that
  /// cover the most keys if there is no address.
  Result<std::vector<KeyNode>> find(std::span<const std::uint64_t> addresses);

  /// Returns the key of cached data.
  Result<Key> find_cache_key();

  /// Returns an error if destroy() would be refused now, or not be answered.
  Result<void> prepare_to_destroy();

  /// Destroys keys, if they are there, and replaces that of cached data. Then rewrites the tables'
  /// files, if this user may.
  Result<void> destroy(std::span<const std::uint64_t> addresses);

 private:
  template <class Body>
  auto ask(const Body& body) -> decltype(body(std::declval<Connection&>()));
  Result<void> connect();
  Result<void> destroy_some(Connection& connection, std::span<const std::uint64_t> addresses) const;
  Statement about(const char* text) const { return std::move(Statement(text).add(ring_)); }

  const Address address_;
  bool is_noticed_ = false;  // The wait of the call that asks is.
  const Patience patience_;  // Sets it.
  std::unique_ptr<Connection> connection_;
  std::int64_t ring_ = 0;  // The number of these keys in the tables.
};

}  // namespace spoor::store::postgres
