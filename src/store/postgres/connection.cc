#include "store/postgres/connection.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "store/postgres/address.h"
#include "store/postgres/library.h"

namespace spoor::store::postgres {
namespace {

using std::chrono::milliseconds;

constexpr auto kIsItRunning = "is the server running, and the address right?";

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  for (const std::string_view each : beginnings) {
    if (text.starts_with(each)) return true;
  }
  return false;
}

Error error_of(std::string_view state, const std::string& message) {
  // https://www.postgresql.org/docs/15/errcodes-appendix.html
  const std::string text = "PostgreSQL: " + message;
  if (starts_with_any(state, {"28", "42501"})) {
    return denied(text, "the role of the address must have been granted this");
  }
  if (starts_with_any(state, {"3D", "3F", "42P01"})) {
    return not_found(text, "make the store with 'spoor init ADDRESS'");
  }
  if (state == "53100") return unavailable(text, "make room on the server's disk, and try again");
  if (state == "57014") {
    return unavailable(text,
                       "see 'SHOW statement_timeout' as this role: a large change takes longer");
  }
  if (starts_with_any(state, {"08", "53", "55", "57", "40", "25006"})) {
    return unavailable(text, "try again");
  }
  return io_error(text);
}

// Names are those of the server, whatever other schemas have. All questions are of few rows by
// their keys, and are written so that the plan is the same whatever the server takes the tables to
// be, even empty: what looks up rows of one table by those of another is a LATERAL of one row.
const Statement kSettings[] = {
    Statement("SET search_path = pg_catalog"),
    Statement("SET default_transaction_isolation = 'read committed'"),
    Statement("SET jit = off"),
    // By the store's number, which a plan must not be made for: the planner knows nothing of a
    // store that is newer than its statistics.
    Statement("SET plan_cache_mode = force_generic_plan"),
    Statement("SET enable_seqscan = off"),
    Statement("SET enable_hashjoin = off"),
    Statement("SET enable_mergejoin = off"),
    Statement("SET enable_bitmapscan = off"),
    Statement("SET enable_memoize = off"),
    Statement("SET work_mem = '32MB'"),
    // A client that is gone holds a lock for a minute at most, and nobody waits longer.
    Statement("SET tcp_keepalives_idle = 30"),
    Statement("SET tcp_keepalives_interval = 10"),
    Statement("SET tcp_keepalives_count = 3"),
    Statement("SET lock_timeout = '60s'"),
};

}  // namespace

Error not_spoors(std::string_view what) {
  return corrupt(fmt::format("{} in the database is not spoor's", what), "run 'spoor store fsck'");
}

void Rows::Clear::operator()(pg_result* result) const { pq->clear(result); }

std::size_t Rows::size() const { return static_cast<std::size_t>(pq_->rows(result_.get())); }

bool Rows::is_null(std::size_t row, int column) const {
  return pq_->is_null(result_.get(), static_cast<int>(row), column) != 0;
}

std::string_view Rows::bytes(std::size_t row, int column) const {
  return {pq_->value(result_.get(), static_cast<int>(row), column),
          static_cast<std::size_t>(pq_->length(result_.get(), static_cast<int>(row), column))};
}

std::int64_t Rows::number(std::size_t row, int column) const {
  std::uint64_t number = 0;
  for (const char c : bytes(row, column)) number = number << 8U | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(number);
}

std::optional<Oid> Rows::oid(std::size_t row, int column) const {
  if (is_null(row, column)) return std::nullopt;
  return Oid::from_bytes(bytes(row, column));
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& server,
                                                     const Patience& patience) {
  const Hosts hosts = TRY(hosts_of(server));
  const Libpq* pq = load_libpq();
  std::unique_ptr<Connection> opened;
  std::optional<Error> problem;
  for (const std::vector<Parameter>& attempt : hosts.attempts) {
    // Later ones have precedence: the address decides over what is before it.
    std::vector<Parameter> parameters = {{"fallback_application_name", "spoor"},
                                         {"client_encoding", "UTF8"}};
    parameters.insert(parameters.end(), hosts.defaults.begin(), hosts.defaults.end());
    parameters.push_back({"dbname", server});
    parameters.insert(parameters.end(), attempt.begin(), attempt.end());
    std::vector<const char*> keys;
    std::vector<const char*> values;
    for (const auto& [key, value] : parameters) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
    keys.push_back(nullptr);
    values.push_back(nullptr);
    opened.reset(
        new Connection(*pq, pq->start(keys.data(), values.data(), 1), hosts.timeout, patience));
    const auto connected = opened->wait_for_server();
    if (connected) break;
    if (connected.error().code != Error::Code::unavailable) return connected.error();
    const std::string others = problem ? problem->message + "; " : "cannot connect: ";
    problem = unavailable(others + connected.error().message, connected.error().hint);
    opened.reset();
  }
  if (opened == nullptr) return *problem;
  if (pq->enter_pipeline(opened->connection_) == 0) return opened->lost();
  return opened;
}

// Ends with a connection, or with the reason why there is none.
Result<void> Connection::wait_for_server() {
  const auto begin = Clock::now();
  bool is_noticed = false;
  pq_.set_notice_receiver(connection_, &Connection::notice, this);
  pq_.set_verbosity(connection_, PQERRORS_VERBOSE);  // For the SQLSTATE of a refusal.
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  if (pq_.status(connection_) == CONNECTION_BAD) status = PGRES_POLLING_FAILED;
  while (status == PGRES_POLLING_READING || status == PGRES_POLLING_WRITING) {
    if (is_cancelled_since(begin)) return interrupted("the wait for the server was ended");
    const auto waited = Clock::now() - begin;
    const std::string silence = fmt::format("'{}' does not answer", host());
    if (waited >= timeout_) return unavailable(silence, kIsItRunning);
    if (waited >= Patience::kNotice && patience_.notice && !std::exchange(is_noticed, true)) {
      patience_.notice(silence);
    }
    const short events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (wait_for_socket(events)) status = pq_.poll(connection_);
  }
  if (status != PGRES_POLLING_OK) return refusal();
  pq_.set_verbosity(connection_, PQERRORS_DEFAULT);
  return {};
}

// A server's words are not for the terminal. One warning says that a change was made here whose
// wait for the standbys somebody ended: as if the answer was lost.
void Connection::notice(void* connection, const pg_result* result) {
  auto& self = *static_cast<Connection*>(connection);
  const char* const source = self.pq_.error_field(result, PG_DIAG_SOURCE_FUNCTION);
  if (source != nullptr && std::string_view(source) == "SyncRepWaitForLSN") {
    self.is_unconfirmed_ = self.is_broken_ = true;
  }
}

// Returns why there is no connection. The words of a server that refused one are
// `FATAL:  SQLSTATE: TEXT`, and then lines of details.
Error Connection::refusal() const {
  constexpr std::size_t kState = 5;
  const std::string_view said = pq_.error_message(connection_);
  std::string state;
  std::string text(said);
  for (std::size_t at = said.find(":  "); at != std::string_view::npos && state.empty();
       at = said.find(":  ", at + 1)) {
    const std::string_view code = said.substr(at + 3, kState);
    const auto is_code = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); };
    const std::size_t after = at + 3 + kState;
    if (!std::ranges::all_of(code, is_code) || !said.substr(after).starts_with(": ")) continue;
    const std::size_t end = std::min(said.find('\n', after), said.size());
    state = code;
    text = fmt::format("{}: {}", said.substr(0, at), said.substr(after + 2, end - after - 2));
  }
  text = in_one_line(text);
  if (starts_with_any(state, {"28", "42501"}) || pq_.needs_password(connection_) != 0) {
    return denied("cannot connect: " + text, "passwords are read from ~/.pgpass");
  }
  if (state == "3D000") {
    return not_found("cannot connect: " + text, "the server's owner makes it: createdb NAME");
  }
  return unavailable(text, kIsItRunning);
}

// Returns true if the socket is ready. Comes back at once if a signal comes, and soon in any case.
bool Connection::wait_for_socket(short events) const {
  constexpr int kSoon = 50;  // Milliseconds.
  pollfd socket{pq_.socket(connection_), events, 0};
  return ::poll(&socket, 1, kSoon) > 0;
}

// Work that was cancelled may still write its results if it need not wait for that.
bool Connection::is_cancelled_since(Clock::time_point begin) const {
  constexpr std::chrono::seconds kNoWait{1};
  return patience_.is_cancelled && Clock::now() - begin > kNoWait && patience_.is_cancelled();
}

std::string Connection::host() const {
  const char* host = pq_.host(connection_);
  return host == nullptr ? "" : host;
}

// Waits for the next answer in the pipeline. Nullptr ends the answers to a command, and is what
// comes from a lost connection.
pg_result* Connection::answer() {
  const auto begin = Clock::now();
  const auto noticed_after = is_set_ ? milliseconds(kLongAnswer) : Patience::kNotice;
  bool is_noticed = false;
  while (pq_.is_busy(connection_) != 0) {
    is_interrupted_ = is_cancelled_since(begin);
    is_silent_ = !is_set_ && Clock::now() - begin >= timeout_;
    if (is_interrupted_ || is_silent_) {
      is_broken_ = true;
      return nullptr;
    }
    if (Clock::now() - begin >= noticed_after && patience_.notice &&
        !std::exchange(is_noticed, true)) {
      patience_.notice(fmt::format("'{}' took the request and has not answered yet", host()));
    }
    if (wait_for_socket(POLLIN) && pq_.consume_input(connection_) == 0) break;
  }
  return pq_.result(connection_);
}

Connection::~Connection() { pq_.finish(connection_); }

bool Connection::is_lost() const { return is_broken_ || pq_.status(connection_) != CONNECTION_OK; }

Connection::Remedy Connection::remedy() const {
  // 25006: the server is a standby now, and another the primary. 57P: it stops, or starts.
  if (is_lost() || starts_with_any(state_, {"08", "25006", "57P"})) return Remedy::reconnect;
  // Two transactions were in each other's way.
  return starts_with_any(state_, {"40001", "40P01"}) ? Remedy::again : Remedy::none;
}

Error Connection::lost() const {
  if (is_interrupted_) return interrupted("the wait for the server was ended");
  if (is_silent_) {
    return unavailable(fmt::format("'{}' takes connections and does not answer", host()),
                       kIsItRunning);
  }
  if (is_unconfirmed_) {
    return unavailable("PostgreSQL: the wait for a standby was canceled", "try again");
  }
  return unavailable("PostgreSQL: " + in_one_line(pq_.error_message(connection_)), "try again");
}

Error Connection::failed(const pg_result* result) {
  const auto field = [&](int code) {
    const char* text = pq_.error_field(result, code);
    return std::string(text == nullptr ? "" : text);
  };
  state_ = field(PG_DIAG_SQLSTATE);
  return error_of(state_, in_one_line(field(PG_DIAG_MESSAGE_PRIMARY)));
}

bool Connection::send(const Statement& statement) {
  std::vector<::Oid> types;
  std::vector<const char*> values;
  std::vector<int> lengths;
  for (const Statement::Parameter& each : statement.parameters()) {
    types.push_back(each.type);
    values.push_back(each.bytes ? each.bytes->data() : nullptr);
    lengths.push_back(each.bytes ? static_cast<int>(each.bytes->size()) : 0);
  }
  const std::vector<int> formats(types.size(), 1);
  const int count = static_cast<int>(types.size());
  auto known = prepared_.find(statement.text());
  if (known == prepared_.end()) {
    known = prepared_.emplace(statement.text(), fmt::format("s{}", ++names_)).first;
    sent_.push_back(statement.text());
    if (pq_.send_prepare(connection_, known->second.c_str(), statement.text(), count,
                         types.data()) == 0) {
      return false;
    }
  }
  sent_.push_back(nullptr);
  return pq_.send_prepared(connection_, known->second.c_str(), count, values.data(), lengths.data(),
                           formats.data(), 1) != 0;
}

Result<std::vector<Rows>> Connection::run(const std::vector<Statement>& statements) {
  sent_.clear();
  state_.clear();
  ++round_trips_;
  bool is_sent = true;
  const std::size_t settings = is_set_ ? 0 : std::size(kSettings);
  for (std::size_t i = 0; i < settings; ++i) is_sent = is_sent && send(kSettings[i]);
  for (const Statement& each : statements) is_sent = is_sent && send(each);
  if (!is_sent || pq_.sync(connection_) == 0) {
    is_broken_ = true;
    return lost();
  }
  std::vector<Rows> all;
  std::optional<Error> problem;
  for (const char* prepared : sent_) {
    Rows rows(pq_, answer());
    const auto status = pq_.result_status(rows.get());
    const bool is_done = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    // The server forgets no statement that was prepared before an error, and never saw those after.
    if (!is_done && prepared != nullptr) prepared_.erase(prepared);
    if (!is_done && !problem && status != PGRES_PIPELINE_ABORTED) problem = failed(rows.get());
    if (rows.get() == nullptr || is_lost()) {
      is_broken_ = true;
      return lost();
    }
    if (is_done && prepared == nullptr) all.push_back(std::move(rows));
    pq_.clear(answer());  // The end of the command.
  }
  // All is committed only now: what came before says that each statement was run.
  const Rows end(pq_, answer());
  is_broken_ = is_lost() || pq_.result_status(end.get()) != PGRES_PIPELINE_SYNC;
  if (is_broken_) return lost();
  if (problem) return *problem;
  is_set_ = true;  // After an error the server has forgotten it.
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(settings));
  return all;
}

void Connection::roll_back() {
  static const Statement kRollBack("ROLLBACK");
  const std::string state = state_;
  if (!is_lost()) (void)run(kRollBack);  // If that fails, the connection is lost.
  state_ = state;
}

Result<Rows> Connection::run(const Statement& statement) {
  return std::move(TRY(run(std::vector{statement})).front());
}

}  // namespace spoor::store::postgres
