#include "serve/http_server.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "base/os/pipe.h"
#include "base/text.h"
#include "serve/connections.h"
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
      : options_(options),
        connections_(std::move(socket), {options.most_connections, options.head},
                     [this](Guest& guest) { answer_all(guest); }) {}

  Connections& connections() { return connections_; }

 private:
  void answer_all(Guest& guest) {
    Wire& wire = guest.wire();
    BeastWire beast(wire);
    boost::beast::flat_buffer buffer;
    std::string token;
    std::optional<Admitted> admitted;
    const Place place(*this);
    for (bool goes_on = true; goes_on && !guest.is_stopping();) {
      const auto time = admitted ? options_.idle : options_.head;
      wire.set_patience(time);
      wire.set_deadline(std::chrono::steady_clock::now() + time);
      Incoming<true> request(beast, buffer);
      guest.set_idle(true);
      if (const auto read = request.read_head(); !read) {
        if (read.error().code == Error::Code::invalid) refuse(beast, 400, 11);
        return;
      }
      guest.set_idle(false);
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
      guest.let_in();
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

  const HttpServerOptions options_;
  std::mutex mutex_;
  std::map<std::string, std::size_t> places_;  // Guarded by mutex_.
  Connections connections_;
};

HttpServer::HttpServer(Descriptor socket, const HttpServerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(socket), options)) {}
HttpServer::~HttpServer() = default;

void HttpServer::run() { impl_->connections().run(); }
void HttpServer::stop() { impl_->connections().stop(); }
void HttpServer::abandon() { impl_->connections().abandon(); }

}  // namespace spoor::serve
