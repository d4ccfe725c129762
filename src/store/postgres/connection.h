#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/oid.h"
#include "store/postgres/statement.h"

struct pg_conn;
struct pg_result;

namespace spoor::store::postgres {

struct Libpq;

/// Returns whether a store's address is that of a PostgreSQL server.
bool is_address(std::string_view address);

/// A store's address in its parts.
struct Address {
  std::string server;  ///< a URI of libpq
  std::string store;   ///< the name of the store there; `main` if the address has none
};

/// Reads `postgres://USER@HOST/DATABASE?store=NAME`: a URI of libpq
/// (https://www.postgresql.org/docs/15/libpq-connect.html, 34.1.1.2) with one parameter more.
/// Code::invalid if the name is not valid or is given twice.
Result<Address> parse_address(std::string_view address);

/// Returns the error for a value in the tables that spoor did not write.
Error not_spoors(std::string_view what);

/// The rows that a statement returned.
class Rows {
 public:
  Rows(const Libpq& pq, pg_result* result) : pq_(&pq), result_(result, Clear{&pq}) {}

  std::size_t size() const;
  bool is_null(std::size_t row, int column) const;
  /// A view that lives as long as the rows.
  std::string_view bytes(std::size_t row, int column) const;
  std::int64_t number(std::size_t row, int column) const;
  /// nullopt if it is NULL, or is not a name.
  std::optional<Oid> oid(std::size_t row, int column) const;

  const pg_result* get() const { return result_.get(); }

 private:
  struct Clear {
    const Libpq* pq;
    void operator()(pg_result* result) const;
  };
  const Libpq* pq_;
  std::unique_ptr<pg_result, Clear> result_;
};

/// A connection to a server. For one thread.
class Connection {
 public:
  /// Code::unavailable if libpq is missing or the server cannot be reached, Code::denied if it
  /// refuses this user, Code::invalid if the URI is not one.
  static Result<std::unique_ptr<Connection>> open(const std::string& server);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs statements as one transaction, within one round trip, and returns the rows of each. After
  /// an error nothing of them is done, unless is_lost(). Within an explicit BEGIN they are a part
  /// of that transaction.
  Result<std::vector<Rows>> run(const std::vector<Statement>& statements);

  /// Runs one.
  Result<Rows> run(const Statement& statement);

  /// Ends the transaction that a BEGIN began; state() stays.
  void roll_back();

  /// The SQLSTATE of the last error; empty if there was none from the server.
  const std::string& state() const { return state_; }

  /// How often run() waited for an answer.
  std::uint64_t round_trips() const { return round_trips_; }

  /// True after an error that ended the connection: what the last run() was to do may be done.
  bool is_lost() const;

 private:
  Connection(const Libpq& pq, pg_conn* connection) : pq_(pq), connection_(connection) {}

  bool wait_for_server(std::chrono::seconds timeout);
  bool send(const Statement& statement);
  Error lost() const;
  Error failed(const pg_result* result);

  const Libpq& pq_;
  pg_conn* connection_;
  std::string state_;
  std::unordered_map<const char*, std::string> prepared_;  // Names by text.
  std::uint64_t names_ = 0;
  std::uint64_t round_trips_ = 0;
  bool is_broken_ = false;  // It is not known where in the protocol it is.
  // For each command that was sent: the text of the statement that it prepares; nullptr: it runs
  // one.
  std::vector<const char*> sent_;
};

}  // namespace spoor::store::postgres
