#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/oid.h"
#include "store/postgres/patience.h"
#include "store/postgres/statement.h"

struct pg_conn;
struct pg_result;

namespace spoor::store::postgres {

struct Libpq;

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
  /// Connects to the first host of `server`, a URI of libpq, that answers. Code::unavailable if
  /// none can be used now or libpq is missing, Code::denied if one refuses this user,
  /// Code::not_found if it has no such database, Code::invalid if the URI is not one.
  /// Patience::is_cancelled ends a wait of more than a second for the server or its answer
  /// (Code::interrupted), and Patience::notice is told of one: for a connection or its first
  /// answer after kNotice, for another answer after kLongAnswer.
  static Result<std::unique_ptr<Connection>> open(const std::string& server,
                                                  const Patience& patience = {});
  static constexpr std::chrono::seconds kLongAnswer{5};
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs statements as one transaction, within one round trip, and returns the rows of each. After
  /// an error nothing of them is done, unless is_lost(). Within an explicit BEGIN they are a part
  /// of that transaction. For its first answer a server has as long as for the connection.
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

  /// Whether what failed last may succeed if it is tried again: on this connection, or on a new
  /// one, which may be to another host.
  enum class Remedy { none, again, reconnect };
  Remedy remedy() const;

 private:
  using Clock = std::chrono::steady_clock;

  Connection(const Libpq& pq, pg_conn* connection, std::chrono::seconds timeout, Patience patience)
      : pq_(pq), connection_(connection), timeout_(timeout), patience_(std::move(patience)) {}

  Result<void> wait_for_server();
  Error refusal() const;
  bool wait_for_socket(short events) const;
  bool is_cancelled_since(Clock::time_point begin) const;
  std::string host() const;
  pg_result* answer();
  bool send(const Statement& statement);
  static void notice(void* connection, const pg_result* result);
  Error lost() const;
  Error failed(const pg_result* result);

  const Libpq& pq_;
  pg_conn* connection_;
  const std::chrono::seconds timeout_;
  const Patience patience_;
  std::string state_;
  std::unordered_map<const char*, std::string> prepared_;  // Names by text.
  std::uint64_t names_ = 0;
  std::uint64_t round_trips_ = 0;
  bool is_set_ = false;     // The session has our settings, which are sent with what is run first.
  bool is_broken_ = false;  // It is not known where in the protocol it is.
  bool is_interrupted_ = false;  // The wait for an answer was.
  bool is_silent_ = false;       // The first answer did not come in time.
  bool is_unconfirmed_ = false;  // The server's wait for its standbys was.
  // For each command that was sent: the text of the statement that it prepares; nullptr: it runs
  // one.
  std::vector<const char*> sent_;
};

}  // namespace spoor::store::postgres
