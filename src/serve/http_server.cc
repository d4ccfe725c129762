#include "serve/http_server.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "base/os/pipe.h"
#include "base/os/wake.h"
#include "base/text.h"
#include "serve/http.h"

namespace spoor::serve {
namespace {

constexpr std::size_t kMostUnread = 1U << 20U;

constexpr std::string_view kJsonType = "application/json";

bool asks_for(const http::header<true>& head, std::string_view end) {
  const std::string_view target = view_of(head.target());
  return target.substr(0, target.find('?')).ends_with(end);
}

std::optional<std::string> header_of(const http::header<true>& head, const char* name) {
  std::optional<std::string> all;
  const auto [begin, end] = head.equal_range(name);
  for (auto each = begin; each != end; ++each) {
    all = (all ? *all + ", " : std::string()) + std::string(view_of(each->value()));
  }
  return all;
}

// The status of a request that no store answers; 0: one does.
unsigned refusal(const http::header<true>& head) {
  if (!view_of(head[http::field::origin]).empty()) return 403;
  const bool is_message = asks_for(head, kMessageTarget);
  if (!is_message && !asks_for(head, kTarget)) return 404;
  if (head.method() != http::verb::post) return 405;
  const std::string type = lowered(view_of(head["Content-Type"]));
  const bool is_json = trimmed(std::string_view(type).substr(0, type.find(';'))) == kJsonType;
  return (is_message ? is_json : type == kContentType) ? 0 : 415;
}

std::string_view bearer(const http::header<true>& head) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view value = view_of(head[http::field::authorization]);
  if (lowered(value.substr(0, kScheme.size())) != kScheme) return {};
  return value.substr(kScheme.size());
}

http::header<false> response_head(unsigned status, unsigned version) {
  http::header<false> head;
  head.version(version);
  head.result(status);
  return head;
}

void refuse(BeastWire& wire, unsigned status, unsigned version) {
  http::header<false> head = response_head(status, version);
  head.set(http::field::connection, "close");
  head.set("Content-Type", "text/plain");
  if (status == 401) head.set(http::field::www_authenticate, "Bearer");
  if (status == 405) head.set(http::field::allow, "POST");
  if (status == 503) head.set(http::field::retry_after, "1");
  Outgoing<false> response(wire, std::move(head));
  // The connection ends with it in any case.
  if (response.write(fmt::format("{}\n", status))) static_cast<void>(response.end());
}

}  // namespace

Result<Listener> listen_at(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  const std::string_view digits = std::string_view(address).substr(colon + 1);
  std::uint16_t number = 0;  // The system takes larger ones, too, and uses their last 16 bits.
  const auto [rest, error] = std::from_chars(digits.begin(), digits.end(), number);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo wanted{};
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const bool is_read =
      colon != std::string::npos && !host.empty() && error == std::errc() && rest == digits.end() &&
      ::getaddrinfo(host.c_str(), std::string(digits).c_str(), &wanted, &found) == 0;
  if (!is_read) {
    return invalid(fmt::format("cannot listen at '{}'", address), "write 127.0.0.1:PORT");
  }
  sockaddr_storage at{};
  socklen_t size = found->ai_addrlen;
  std::memcpy(&at, found->ai_addr, size);
  ::freeaddrinfo(found);
  auto* const generic = reinterpret_cast<sockaddr*>(&at);
  Descriptor socket(os::make_socket(at.ss_family, false));
  const int yes = 1;
  constexpr int kBacklog = 128;
  if (!socket || ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(socket.number(), generic, size) != 0 || ::listen(socket.number(), kBacklog) != 0 ||
      ::getsockname(socket.number(), generic, &size) != 0) {
    return io_error(fmt::format("cannot listen at {}: {}", address, std::strerror(errno)));
  }
  const in_port_t port = at.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(at).sin6_port
                                                  : reinterpret_cast<sockaddr_in&>(at).sin_port;
  return Listener{std::move(socket),
                  fmt::format("http://{}:{}", address.substr(0, colon), ntohs(port))};
}

class HttpServer::Impl {
 public:
  Impl(Descriptor socket, const HttpServerOptions& options)
      : socket_(std::move(socket)), options_(options) {}

  void run() {
    while (!is_stopping_) {
      std::array<pollfd, 2> both{{{socket_.number(), POLLIN, 0}, {wake_.file(), POLLIN, 0}}};
      ::poll(both.data(), both.size(), -1);
      wake_.clear();
      join_ended();
      if (both[0].revents != 0 && !is_stopping_) accept();
    }
    socket_.close();
    for (Connection& each : connections_) each.thread.join();
  }

  void stop() { end(false); }
  void abandon() { end(true); }

 private:
  struct Connection {
    Descriptor client;
    std::thread thread;
    std::atomic<bool> is_let_in = false;
    std::atomic<bool> has_ended = false;
    bool is_ending = false;  // For the thread that accepts.
  };

  void end(bool at_once) {
    if (at_once) is_abandoned_ = true;
    is_stopping_ = true;
    wake_.ring();
  }

  void join_ended() {
    std::erase_if(connections_, [](Connection& each) {
      if (!each.has_ended) return false;
      each.thread.join();
      return true;
    });
  }

  void accept() {
    Descriptor client(os::accept_from(socket_.number()));
    if (!client) {
      constexpr std::chrono::milliseconds kPause{50};
      if (errno != EAGAIN) std::this_thread::sleep_for(kPause);  // Descriptors ran out.
      return;
    }
    const int yes = 1;
    ::setsockopt(client.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connections_.size() >= options_.most_connections && !make_room()) return turn_away(client);
    Connection& made = connections_.emplace_back();
    made.client = std::move(client);
    try {
      made.thread = std::thread([this, &made] {
        serve(made);
        made.has_ended = true;
        wake_.ring();
      });
    } catch (const std::system_error&) {  // The system has no thread left.
      turn_away(made.client);
      connections_.pop_back();
    }
  }

  // Ends the connection that has waited longest without being let in. False if all are let in.
  bool make_room() {
    const auto oldest = std::ranges::find_if(connections_, [](const Connection& each) {
      return !each.is_let_in && !each.has_ended && !each.is_ending;
    });
    if (oldest == connections_.end()) return false;
    oldest->is_ending = true;
    ::shutdown(oldest->client.number(), SHUT_RDWR);
    // Its thread ends in a moment; one that does not is one of a few.
    return connections_.size() < 2 * options_.most_connections;
  }

  static void turn_away(const Descriptor& client) {
    constexpr std::string_view kBusy =
        "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n"
        "Content-Length: 0\r\n\r\n";
    (void)!os::send_quietly(client.number(), kBusy, MSG_DONTWAIT);
  }

  void serve(Connection& connection) {
    const int number = connection.client.number();
    bool is_idle = true;
    Wire wire(number, {options_.head, [&] { return is_abandoned_ || (is_stopping_ && is_idle); }});
    BeastWire beast(wire);
    answer_all(connection, wire, beast, is_idle);
    // The rest of the request is read: else its answer may be lost (RFC 9112, 9.6).
    constexpr std::chrono::seconds kLinger{2};
    ::shutdown(number, SHUT_WR);
    wire.set_deadline(std::chrono::steady_clock::now() + kLinger);
    std::array<char, 4096> rest{};
    for (int i = 0; i < 64; ++i) {
      const auto count = wire.receive(rest);
      if (!count || *count == 0) break;
    }
  }

  // `is_idle` is true while no request has come.
  void answer_all(Connection& connection, Wire& wire, BeastWire& beast, bool& is_idle) {
    boost::beast::flat_buffer buffer;
    std::string token;
    std::optional<Admitted> admitted;
    const Place place(*this);
    for (bool goes_on = true; goes_on && !is_stopping_;) {
      const auto time = admitted ? options_.idle : options_.head;
      wire.set_patience(time);
      wire.set_deadline(std::chrono::steady_clock::now() + time);
      Incoming<true> request(beast, buffer);
      is_idle = true;
      if (const auto read = request.read_head(); !read) {
        if (read.error().code == Error::Code::invalid) refuse(beast, 400, 11);
        return;
      }
      is_idle = false;
      const unsigned version = request.head().version();
      unsigned status = refusal(request.head());
      const std::string_view given = bearer(request.head());
      if (status == 0 && (!admitted || given != token)) {
        admitted.reset();
        auto let_in = options_.admit(given);
        if (let_in) {
          token = given;
          admitted = std::move(*let_in);
          if (!place.take(admitted->name)) status = 503;
        } else {
          status = let_in.error().code == Error::Code::denied ? 401 : 503;
        }
      }
      if (status != 0) return refuse(beast, status, version);
      connection.is_let_in = true;
      wire.set_deadline(std::nullopt);
      wire.set_patience(options_.silence);
      if (lowered(view_of(request.head()[http::field::expect])) == "100-continue") {
        constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
        boost::system::error_code error;
        boost::asio::write(beast, boost::asio::buffer(kGoOn), error);
        if (error) return;
      }
      if (asks_for(request.head(), kMessageTarget)) {
        if (!answer_message(*admitted, request, beast)) return;
        goes_on = version == 11 && request.goes_on();
        continue;
      }
      http::header<false> head = response_head(200, version);
      head.set("Content-Type", std::string(kContentType));
      Outgoing<false> response(beast, std::move(head));
      const auto answered =
          admitted->answer([&](std::span<char> to) { return request.read(to); },
                           [&](std::string_view bytes) { return response.write(bytes); });
      const bool is_revoked =
          !answered && !response.has_begun() && answered.error().code == Error::Code::denied;
      if (is_revoked) return refuse(beast, 401, version);
      // An answer without its end is one that broke off.
      if (!answered || !response.end()) return;
      goes_on = version == 11 && request.goes_on() && request.skip(kMostUnread);
    }
  }

  // Returns false if the connection ends with it.
  static bool answer_message(const Admitted& admitted, Incoming<true>& request, BeastWire& beast) {
    const unsigned version = request.head().version();
    PostedMessage message;
    std::array<char, 65'536> block{};
    while (true) {
      const auto count = request.read(block);
      if (!count) return false;
      if (*count == 0) break;
      message.body.append(block.data(), *count);
      if (message.body.size() > kMostMessage) return refuse(beast, 413, version), false;
    }
    message.version = header_of(request.head(), "MCP-Protocol-Version");
    message.method = header_of(request.head(), "Mcp-Method");
    message.name = header_of(request.head(), "Mcp-Name");
    const auto answered = admitted.answer_message(message);
    if (!answered) {
      const bool is_revoked = answered.error().code == Error::Code::denied;
      return refuse(beast, is_revoked ? 401 : 503, version), false;
    }
    http::header<false> head = response_head(answered->status, version);
    if (!answered->body.empty()) head.set("Content-Type", std::string(kJsonType));
    Outgoing<false> response(beast, std::move(head));
    return response.write(answered->body) && response.end();
  }

  // A connection's place among those of one name.
  class Place {
   public:
    explicit Place(Impl& server) : server_(server) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { take({}); }

    bool take(const std::string& name) const {
      const std::scoped_lock lock(server_.mutex_);
      if (!name_.empty()) --server_.places_[name_];
      name_.clear();
      if (name.empty()) return true;
      if (server_.places_[name] >= server_.options_.most_of_one) return false;
      ++server_.places_[name];
      name_ = name;
      return true;
    }

   private:
    Impl& server_;
    mutable std::string name_;
  };

  Descriptor socket_;
  const HttpServerOptions options_;
  const os::Wake wake_;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<bool> is_abandoned_ = false;
  std::list<Connection> connections_;
  std::mutex mutex_;
  std::map<std::string, std::size_t> places_;  // Guarded by mutex_.
};

HttpServer::HttpServer(Descriptor socket, const HttpServerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(socket), options)) {}
HttpServer::~HttpServer() = default;

void HttpServer::run() { impl_->run(); }
void HttpServer::stop() { impl_->stop(); }
void HttpServer::abandon() { impl_->abandon(); }

}  // namespace spoor::serve
