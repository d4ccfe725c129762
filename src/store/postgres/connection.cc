#include "store/postgres/connection.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "store/operation.h"
#include "store/postgres/library.h"

namespace spoor::store::postgres {
namespace {

constexpr std::array kSchemes = {std::string_view("postgres://"),
                                 std::string_view("postgresql://")};

// A server's words in one line, without what would move a cursor.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_plain = static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
    if (is_plain) line += c;
    if (!is_plain && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

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
  if (starts_with_any(state, {"53", "55", "57", "40", "25006"})) {
    return unavailable(text, "try again");
  }
  return io_error(text);
}

// The hosts of an address, which are tried in order, and how long each.
struct Hosts {
  std::vector<std::string> names;
  std::vector<std::string> ports;
  std::chrono::seconds timeout{10};
};

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    parts.emplace_back(list.substr(0, comma));
    if (comma == list.size()) return parts;
    list.remove_prefix(comma + 1);
  }
}

Hosts hosts_of(const PQconninfoOption* options) {
  Hosts hosts;
  for (; options->keyword != nullptr; ++options) {
    if (options->val == nullptr) continue;
    const std::string_view key = options->keyword;
    if (key == "host") hosts.names = split(options->val);
    if (key == "port") hosts.ports = split(options->val);
    if (key == "connect_timeout") hosts.timeout = std::chrono::seconds(std::atoi(options->val));
  }
  if (hosts.timeout <= std::chrono::seconds(0)) hosts.timeout = std::chrono::minutes(2);
  return hosts;
}

// The list from `first` on, and then what is before it.
std::string rotated(std::vector<std::string> list, std::size_t first) {
  if (list.size() > first) {
    std::rotate(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(first), list.end());
  }
  return fmt::format("{}", fmt::join(list, ","));
}

}  // namespace

bool is_address(std::string_view address) {
  return address.starts_with(kSchemes[0]) || address.starts_with(kSchemes[1]);
}

Result<Address> parse_address(std::string_view address) {
  constexpr std::string_view kParameter = "store=";
  Address parsed;
  const std::size_t query = address.find('?');
  parsed.server = address.substr(0, query);
  char separator = '?';
  std::string_view rest = query == std::string_view::npos ? "" : address.substr(query + 1);
  while (!rest.empty()) {
    const std::string_view each = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), each.size() + 1));
    if (!each.starts_with(kParameter)) {
      parsed.server.append(1, separator).append(each);
      separator = '&';
      continue;
    }
    const bool is_again = !parsed.store.empty();
    parsed.store = each.substr(kParameter.size());
    if (is_again || !ref_name_problem("refs/heads/" + parsed.store).empty()) {
      return invalid(fmt::format("'{}' is not the name of a store", in_one_line(each)),
                     "write it as 'postgres://HOST/DATABASE?store=NAME'");
    }
  }
  if (parsed.store.empty()) parsed.store = "main";
  return parsed;
}

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

Result<std::unique_ptr<Connection>> Connection::open(const std::string& server) {
  const Libpq* pq = load_libpq();
  if (pq == nullptr) {
    return unavailable("libpq 14 or later, which PostgreSQL's programs use, is not installed",
                       "on Debian and Ubuntu: apt install libpq5");
  }
  char* problem = nullptr;
  auto* options = pq->parse(server.c_str(), &problem);
  if (options == nullptr) {
    const std::string said = problem == nullptr ? "" : in_one_line(problem);
    pq->free_memory(problem);
    return invalid("the address of the store is not one: " + said,
                   "write it as 'postgres://HOST/DATABASE?store=NAME'");
  }
  const Hosts hosts = hosts_of(options);
  pq->free_options(options);
  std::unique_ptr<Connection> opened;
  for (std::size_t first = 0; first < std::max<std::size_t>(hosts.names.size(), 1); ++first) {
    // Later ones have precedence, and the first two are libpq's own: the address decides.
    const std::string names = rotated(hosts.names, first);
    const std::string ports = rotated(hosts.ports, first);
    std::vector<const char*> keys = {"fallback_application_name", "client_encoding", "dbname"};
    std::vector<const char*> values = {"spoor", "UTF8", server.c_str()};
    if (first > 0) {
      keys.insert(keys.end(), {"host", "port"});
      values.insert(values.end(), {names.c_str(), ports.c_str()});
    }
    keys.push_back(nullptr);
    values.push_back(nullptr);
    opened.reset(new Connection(*pq, pq->start(keys.data(), values.data(), 1)));
    // A server's words are not for the terminal.
    pq->set_notice_receiver(
        opened->connection_, [](void*, const PGresult*) {}, nullptr);
    if (opened->wait_for_server(hosts.timeout)) break;
    opened->is_broken_ = true;  // The first host does not answer: begin with the next.
  }
  if (opened->is_lost()) {
    const std::string said = in_one_line(pq->error_message(opened->connection_));
    return unavailable("cannot connect: " + (said.empty() ? "the server does not answer" : said),
                       "is the server running, and the address right?");
  }
  if (pq->enter_pipeline(opened->connection_) == 0) return opened->lost();
  // Names are those of the server, whatever other schemas have. All questions are of few rows by
  // their keys.
  static const std::vector<Statement> kSettings = {
      Statement("SET search_path = pg_catalog"),
      Statement("SET default_transaction_isolation = 'read committed'"), Statement("SET jit = off"),
      Statement("SET enable_hashjoin = off"), Statement("SET enable_mergejoin = off"),
      // A client that is gone holds a lock for a minute at most, and nobody waits longer.
      Statement("SET tcp_keepalives_idle = 30"), Statement("SET tcp_keepalives_interval = 10"),
      Statement("SET tcp_keepalives_count = 3"), Statement("SET lock_timeout = '60s'")};
  TRY(opened->run(kSettings));
  return opened;
}

// Returns false if there was no answer at all. A refusal is in the connection's state.
bool Connection::wait_for_server(std::chrono::seconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  if (pq_.status(connection_) == CONNECTION_BAD) return true;
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (status == PGRES_POLLING_READING || status == PGRES_POLLING_WRITING) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    const bool reads = status == PGRES_POLLING_READING;
    pollfd socket{pq_.socket(connection_), static_cast<short>(reads ? POLLIN : POLLOUT), 0};
    if (::poll(&socket, 1, static_cast<int>(left.count())) > 0) status = pq_.poll(connection_);
  }
  return true;
}

Connection::~Connection() { pq_.finish(connection_); }

bool Connection::is_lost() const { return is_broken_ || pq_.status(connection_) != CONNECTION_OK; }

Error Connection::lost() const {
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
  for (const Statement& each : statements) is_sent = is_sent && send(each);
  if (!is_sent || pq_.sync(connection_) == 0) {
    is_broken_ = true;
    return lost();
  }
  std::vector<Rows> all;
  std::optional<Error> problem;
  for (const char* prepared : sent_) {
    Rows rows(pq_, pq_.result(connection_));
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
    pq_.clear(pq_.result(connection_));  // The end of the command.
  }
  // All is committed only now: what came before says that each statement was run.
  const Rows end(pq_, pq_.result(connection_));
  is_broken_ = is_lost() || pq_.result_status(end.get()) != PGRES_PIPELINE_SYNC;
  if (is_broken_) return lost();
  if (problem) return *problem;
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
