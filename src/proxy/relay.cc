#include "proxy/relay.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <list>
#include <stop_token>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "base/json/writer.h"
#include "base/os/pipe.h"
#include "base/text.h"
#include "llm/http/byte_stream.h"
#include "proxy/credentials.h"
#include "proxy/loopback.h"
#include "proxy/message_tap.h"
#include "proxy/socket_exchanges.h"

namespace spoor::proxy {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::experimental::awaitable_operators::operator&&;  // NOLINT(misc-unused-using-decls)
using asio::experimental::awaitable_operators::operator||;  // NOLINT(misc-unused-using-decls)
using asio::redirect_error;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;
using llm::http::ByteStream;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kRead = 64U << 10U;
constexpr std::chrono::seconds kConnectTimeout{30};

// For one read; not in the frame of a coroutine, which would have to be as large.
using Buffer = std::unique_ptr<char[]>;
Buffer make_buffer() { return std::make_unique_for_overwrite<char[]>(kRead); }

/// A route, and the parts of its upstream's address.
struct Address {
  std::string prefix;    // As Route has it.
  std::string upstream;  // …
  std::string origin;    // `https://api.anthropic.com`
  std::string host;      // With the port, if it has one.
  std::string path;      // Empty, or begins with `/` and does not end so.
};

Result<Address> read_address(const Route& route) {
  const std::string_view url = route.upstream;
  const Error bad = invalid(fmt::format("cannot send requests to '{}'", url),
                            "an address begins with https:// or http://");
  if (!url.starts_with("https://") && !url.starts_with("http://")) return bad;
  const std::size_t host = url.find("://") + 3;
  const std::size_t path = std::min(url.find('/', host), url.size());
  Address address{route.prefix, route.upstream, std::string(url.substr(0, path)),
                  std::string(url.substr(host, path - host)), std::string(url.substr(path))};
  if (address.host.empty() || url.find_first_of("@?# \r\n") != std::string_view::npos) return bad;
  while (address.path.ends_with('/')) address.path.pop_back();
  return address;
}

// Whether a request's target is the route's.
bool is_for(const Address& address, std::string_view target) {
  if (!target.starts_with(address.prefix)) return false;
  const std::size_t size = address.prefix.size();
  return size == 0 || target.size() == size || target[size] == '/' || target[size] == '?';
}

// Returns a request's head as the upstream gets it.
std::string addressed(std::string_view head, const Address& to) {
  std::string out;
  out.reserve(head.size() + to.path.size() + to.host.size());
  std::size_t target = head.find(' ') + 1;
  out.append(head.substr(0, target)).append(to.path);
  target += to.prefix.size();
  if (to.path.empty() && head[target] != '/') out += '/';  // `/anthropic` alone.
  std::size_t line = head.find('\n') + 1;
  out.append(head.substr(target, line - target));
  while (line < head.size()) {
    const std::size_t end = head.find('\n', line) + 1;
    const std::string_view each = head.substr(line, end - line);
    if (lowered(each.substr(0, 5)) == "host:") {
      out.append(each.substr(0, 5)).append(" ").append(to.host).append("\r\n");
    } else {
      out.append(each);
    }
    line = end;
  }
  return out;
}

std::string refusal(int status, std::string_view phrase, const std::string& message) {
  const std::string body =
      fmt::format(R"({{"type":"error","error":{{"type":"spoor_proxy","message":{}}}}})",
                  json::write_string(message));
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      status, phrase, body.size(), body);
}

// Lets one coroutine sleep until it is woken.
class Sleeper {
 public:
  explicit Sleeper(asio::io_context& io) : timer_(io, SteadyClock::time_point::max()) {}
  awaitable<void> sleep() {
    error_code woken;
    co_await timer_.async_wait(redirect_error(use_awaitable, woken));
  }
  void wake() { timer_.cancel(); }

 private:
  asio::steady_timer timer_;
};

// A wait for something of a socket. Once begun it stays until the socket answers it, so nothing has
// to be cancelled where another comes first.
class Wait {
 public:
  explicit Wait(std::shared_ptr<Sleeper> sleeper)
      : state_(std::make_shared<State>(std::move(sleeper))) {}

  template <class Socket>
  void begin(Socket& socket, typename Socket::wait_type kind) {
    if (state_->is_begun || state_->is_over) return;
    state_->is_begun = true;
    socket.async_wait(kind, [state = state_](const error_code&) {
      state->is_begun = false;
      state->is_over = true;
      state->sleeper->wake();
    });
  }

  // Whether it is over; the next begin() begins another.
  bool take() { return std::exchange(state_->is_over, false); }

 private:
  struct State {  // The handler may run after the end of the session.
    explicit State(std::shared_ptr<Sleeper> of) : sleeper(std::move(of)) {}
    const std::shared_ptr<Sleeper> sleeper;
    bool is_begun = false;
    bool is_over = false;
  };
  const std::shared_ptr<State> state_;
};

// A connection to the provider.
class Upstream {
 public:
  Upstream(asio::io_context& io, std::unique_ptr<ByteStream> stream,
           std::shared_ptr<Sleeper> sleeper)
      : stream_(std::move(stream)), socket_(io, stream_->socket()), readable_(std::move(sleeper)) {}
  ~Upstream() { socket_.release(); }  // It is the stream's.

  // Sends what it takes now.
  ByteStream::Moved try_send(std::string_view bytes) { return stream_->send(bytes); }

  awaitable<bool> send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto moved = stream_->send(bytes);
      if (moved.is_closed) co_return false;
      bytes.remove_prefix(moved.bytes);
      if (moved.bytes > 0) continue;
      error_code error;
      co_await socket_.async_wait(asio::posix::descriptor_base::wait_write,
                                  redirect_error(use_awaitable, error));
      if (error) co_return false;
    }
    co_return true;
  }

  ByteStream::Moved receive(std::span<char> into) { return stream_->receive(into); }

  // Wakes the sleeper when there is something to receive.
  void begin_wait() { readable_.begin(socket_, asio::posix::descriptor_base::wait_read); }
  bool has_waited() { return readable_.take(); }

  // Says that nothing more comes.
  void end_sending() { ::shutdown(stream_->socket(), SHUT_WR); }

  void close() {
    ::shutdown(stream_->socket(), SHUT_RDWR);
    socket_.cancel();
  }

  // Whether the provider has closed it, or sent something that nobody asked for.
  bool is_stale() {
    std::array<char, 1> byte{};
    const auto moved = stream_->receive(byte);
    return moved.is_closed || moved.bytes > 0;
  }

 private:
  const std::unique_ptr<ByteStream> stream_;
  asio::posix::stream_descriptor socket_;
  Wait readable_;
};

}  // namespace

class Relay::Impl {
 public:
  Impl(int socket, std::vector<Address> addresses, RelayOptions options)
      : addresses_(std::move(addresses)), options_(std::move(options)), acceptor_(io_) {
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size);
    constexpr rlim_t kOthers = 32;  // File descriptors. A session has two.
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    most_sessions_ = (std::max(files.rlim_cur, kOthers) - kOthers) / 2;
    acceptor_.assign(bound.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), socket);
  }

  void run() {
    asio::co_spawn(io_, accept(), asio::detached);
    io_.run();
    connecting_.stop();
  }

  void stop() {
    asio::post(io_, [this] {
      is_stopping_ = true;
      error_code ignored;
      acceptor_.close(ignored);
      for (tcp::socket* idle : idle_) idle->close(ignored);
    });
  }

  void abandon() { io_.stop(); }

 private:
  class Session;

  awaitable<void> accept();

  const Address* find_address(std::string_view target) const {
    const auto found = std::find_if(addresses_.begin(), addresses_.end(),
                                    [&](const Address& each) { return is_for(each, target); });
    return found == addresses_.end() ? nullptr : &*found;
  }

  const std::vector<Address> addresses_;
  const RelayOptions options_;
  std::list<tcp::socket*> idle_;  // Of clients that wait to ask, the longest first.
  std::size_t sessions_ = 0;
  std::size_t most_sessions_ = 0;
  std::size_t room_ = options_.most_in_all;
  asio::io_context io_{1};           // Ends before what its sessions use.
  asio::thread_pool connecting_{8};  // libcurl connects in one blocking call.
  tcp::acceptor acceptor_;
  bool is_stopping_ = false;
};

/// A client's connection, and the provider's that belongs to it.
class Relay::Impl::Session {
 public:
  Session(Impl& relay, tcp::socket client)
      : relay_(relay),
        client_(std::move(client)),
        sleeper_(std::make_shared<Sleeper>(relay.io_)),
        client_readable_(sleeper_),
        client_failed_(sleeper_) {
    ++relay_.sessions_;
  }
  ~Session() {
    relay_.idle_.remove(&client_);
    --relay_.sessions_;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  awaitable<void> run() {
    error_code ignored;
    client_.set_option(tcp::no_delay(true), ignored);
    while (!relay_.is_stopping_ && co_await serve_one()) {
    }
    if (upstream_) upstream_->close();
    co_await linger();
  }

 private:
  // Ends the connection. The rest of a request is read first: a client loses the answer that is on
  // its way if what it sends meets a closed connection (RFC 9112, 9.6).
  awaitable<void> linger() {
    constexpr std::chrono::seconds kTime{2};
    error_code error;
    client_.shutdown(tcp::socket::shutdown_send, error);
    asio::steady_timer timer(relay_.io_, kTime);
    const Buffer buffer = make_buffer();
    while (!error && !relay_.is_stopping_) {
      const auto first = co_await (client_.async_read_some(asio::buffer(buffer.get(), kRead),
                                                           redirect_error(use_awaitable, error)) ||
                                   timer.async_wait(use_awaitable));
      if (first.index() == 1) break;
    }
    client_.shutdown(tcp::socket::shutdown_both, error);
  }

  using RequestTap = MessageTap<true>;
  using ResponseTap = MessageTap<false>;

  // An exchange under way.
  struct Open {
    Open(std::size_t most, std::size_t& room) : request(most, room) {}
    RequestTap request;
    std::unique_ptr<ResponseTap> response;
    Timestamp begun = SystemClock().now();
    SteadyClock::time_point start = SteadyClock::now();
    std::int64_t first_byte = 0;
    Ending ending = Ending::upstream_no_response;
    bool is_sent = false;                     // The request, whole.
    bool is_over = false;                     // The response ended.
    bool is_unframed = false;                 // The request's body has no end that can be seen.
    bool is_unreadable = false;               // The response is not HTTP.
    std::string after;                        // Sent by the provider behind the response.
    std::unique_ptr<SocketExchanges> socket;  // A WebSocket whose messages are recorded.
  };

  std::int64_t since(const Open& open) const {
    return std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - open.start)
        .count();
  }

  // Passes one request and its response on. False if the connection ends with it.
  awaitable<bool> serve_one() {
    Open open(relay_.options_.most_body, relay_.room_);
    is_pipelined_ = false;
    relay_.idle_.push_back(&client_);
    const bool has_head = co_await read_head(open.request);
    relay_.idle_.remove(&client_);
    if (!has_head) co_return false;
    open.begun = SystemClock().now();
    open.start = SteadyClock::now();

    const RequestTap& request = open.request;
    if (request.method == "CONNECT") {
      co_return co_await refuse(405, "Method Not Allowed", "this proxy has one upstream");
    }
    if (!may_ask(value_of(request.headers, "host"), value_of(request.headers, "origin"))) {
      co_return co_await refuse(403, "Forbidden", "only programs on this machine may ask");
    }
    if (!request.target.starts_with('/')) {
      co_return co_await refuse(400, "Bad Request", "the target of a request begins with '/'");
    }
    const Address* address = relay_.find_address(request.target);
    if (address == nullptr) {
      co_return co_await refuse(404, "Not Found", "this proxy has no provider at that path");
    }
    if (const std::string problem = co_await connect(*address, open); !problem.empty()) {
      co_await send_client(refusal(502, "Bad Gateway", problem));
      co_await read_rest(open);
      report(open);
      co_return false;
    }

    const bool is_sent = send_at_once(open);
    if (!is_sent) co_await pass_both(open);
    if (is_sent) co_await pass_response(open);
    const bool is_tunnel = open.response && open.response->status == 101;
    if (is_tunnel) {
      listen_to(open);
      co_await (pass_on_to_provider(open) && pass_on_to_client(open));
    }
    const bool goes_on = !is_tunnel && open.is_sent && open.ending == Ending::complete &&
                         open.request.keep_alive() && open.response->keep_alive();
    if (!goes_on) upstream_.reset();
    report(open);
    co_return goes_on;
  }

  // Reads until the head is complete. It stays in pending_, up to head_.
  awaitable<bool> read_head(RequestTap& tap) {
    while (true) {
      const auto used = tap.read(pending_);
      if (!used) co_return co_await refuse(400, "Bad Request", "this is not HTTP/1.1");
      if (tap.is_header_done()) {
        head_ = read_ = *used;
        co_return true;
      }
      if (pending_.empty() && !co_await wait_for_client()) co_return false;
      if (!co_await read_client()) co_return false;
    }
  }

  // Waits for a request. False if the provider has ended the connection meanwhile.
  awaitable<bool> wait_for_client() {
    // The wait may have been for something that is read already.
    while (!client_readable_.take() || (peek_client() < 0 && errno == EAGAIN)) {
      if (upstream_ && upstream_->has_waited() && upstream_->is_stale()) {
        upstream_.reset();
        error_code error;
        co_return client_.available(error) > 0;
      }
      client_readable_.begin(client_, tcp::socket::wait_read);
      if (upstream_) upstream_->begin_wait();  // Again, after such as a ticket of TLS.
      co_await sleeper_->sleep();
    }
    co_return true;
  }

  // As recv() says: 0 if the client has no more to say, below 0 with EAGAIN if it says nothing now.
  ssize_t peek_client() {
    char byte = 0;
    return ::recv(client_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  }

  awaitable<bool> read_client() {
    const std::size_t before = pending_.size();
    pending_.resize(before + kRead);
    error_code error;
    const std::size_t size = co_await client_.async_read_some(
        asio::buffer(pending_.data() + before, kRead), redirect_error(use_awaitable, error));
    pending_.resize(before + size);
    has_ended_ = error == asio::error::eof;
    co_return !error && size > 0;
  }

  awaitable<bool> send_client(std::string_view bytes) {
    error_code error;
    co_await asio::async_write(client_, asio::buffer(bytes.data(), bytes.size()),
                               redirect_error(use_awaitable, error));
    co_return !error;
  }

  awaitable<bool> refuse(int status, std::string_view phrase, std::string message) {
    co_await send_client(refusal(status, phrase, message));
    co_return false;
  }

  // Returns why there is no connection; empty if there is one.
  awaitable<std::string> connect(const Address& address, Open& open) {
    if (upstream_ && address_ == &address && !upstream_->is_stale()) co_return std::string();
    upstream_.reset();
    address_ = &address;
    using Made = std::variant<std::unique_ptr<ByteStream>, llm::Failure>;
    const auto call = std::make_shared<Call>();
    asio::co_spawn(relay_.io_, watch(relay_.io_, client_.native_handle(), call), asio::detached);
    const auto make = [this, call]() -> awaitable<std::unique_ptr<Made>> {
      co_return std::make_unique<Made>(ByteStream::connect(
          address_->origin, kConnectTimeout, relay_.options_.curl, call->left.get_token()));
    };
    auto made = co_await asio::co_spawn(relay_.connecting_, make(), use_awaitable);
    call->is_over = true;
    if (const auto* failure = std::get_if<llm::Failure>(&*made)) {
      if (call->left.stop_requested()) open.ending = Ending::client_disconnect;
      co_return fmt::format("cannot reach {}: {}", address_->origin, failure->message);
    }
    upstream_.emplace(relay_.io_, std::get<std::unique_ptr<ByteStream>>(std::move(*made)),
                      sleeper_);
    co_return std::string();
  }

  // A provider that is being connected to.
  struct Call {
    std::stop_source left;
    bool is_over = false;
  };

  // Ends a call whose client has left. One that only has no more to say looks the same, so it has
  // some time.
  static awaitable<void> watch(asio::io_context& io, int client, std::shared_ptr<Call> call) {
    constexpr std::chrono::milliseconds kStep{100};
    auto seen = os::Peer::here;
    for (int steps = 10; steps > 0 && seen != os::Peer::gone;) {
      asio::steady_timer timer(io, kStep);
      co_await timer.async_wait(use_awaitable);
      if (call->is_over) co_return;
      seen = os::peer_of(client);
      if (seen != os::Peer::here) --steps;
    }
    call->left.request_stop();
  }

  awaitable<void> pass_both(Open& open) { co_await (pass_request(open) && pass_response(open)); }

  // Puts the upstream's head in the place of the client's, and sends what the provider takes now.
  // True if that was the whole request.
  bool send_at_once(Open& open) {
    const std::string head = addressed(std::string_view(pending_).substr(0, head_), *address_);
    pending_.replace(0, head_, head);
    read_ = head.size();
    if (!open.request.is_done() && read_ < pending_.size()) read_pending(open);
    const std::size_t sent = upstream_->try_send(std::string_view(pending_).substr(0, read_)).bytes;
    pending_.erase(0, sent);
    read_ -= sent;
    open.is_sent = read_ == 0 && open.request.is_done();
    return open.is_sent;
  }

  awaitable<bool> send_read() {
    const std::size_t size = std::exchange(read_, 0);
    const bool is_open = co_await upstream_->send(std::string_view(pending_).substr(0, size));
    pending_.erase(0, size);
    co_return is_open;
  }

  // Sends what is read of the request, and then what comes.
  awaitable<void> pass_request(Open& open) {
    bool is_open = co_await send_read();
    while (!open.request.is_done()) {
      const bool has_more = co_await read_more(open);
      if (!has_more) {
        if (is_open) has_ended_ && !open.is_over ? pass_end(open) : leave(open);
        co_return;
      }
      // Where it is closed an answer may be on its way to a client that is still asking.
      is_open = co_await send_read() && is_open;
    }
    open.is_sent = is_open;
    sleeper_->wake();  // pass_response() waits: from now on also for the client.
  }

  // Reads a request that is passed on to nobody.
  awaitable<void> read_rest(Open& open) {
    relay_.idle_.push_back(&client_);  // stop() does not wait for it.
    pending_.erase(0, std::exchange(read_, 0));
    while (!open.request.is_done()) {
      const bool has_more = co_await read_more(open);
      if (!has_more) break;
      pending_.erase(0, std::exchange(read_, 0));
    }
    relay_.idle_.remove(&client_);
  }

  // Passes on that the client sends no more: it reads, or has left.
  void pass_end(Open& open) {
    open.ending = Ending::client_disconnect;
    relay_.idle_.push_back(&client_);  // stop() does not wait for it.
    upstream_->end_sending();
    sleeper_->wake();  // pass_response() waits, now also for the client.
  }

  // Passes on that the client has left.
  void leave(Open& open) {
    if (!open.is_over) open.ending = Ending::client_disconnect;
    upstream_->close();
  }

  // Reads more of the body, until something of it is understood. The rest passes as it is.
  awaitable<bool> read_more(Open& open) {
    if (!pending_.empty()) read_pending(open);
    while (read_ == 0 && !open.request.is_done()) {
      const bool has_read = co_await read_client();
      if (!has_read) co_return false;
      read_pending(open);
    }
    co_return true;
  }

  void read_pending(Open& open) {
    const std::string_view rest = std::string_view(pending_).substr(read_);
    const auto used = open.is_unframed ? std::nullopt : open.request.read(rest);
    open.is_unframed = !used;
    read_ += used.value_or(rest.size());
  }

  // Passes the response on as it comes; what it says is looked at afterwards.
  awaitable<void> pass_response(Open& open) {
    const Buffer buffer = make_buffer();
    std::string unread;
    open.response = make_tap(open);
    // After an answer that came before the end of the request, only the provider's end is left.
    while (!open.is_over || (!open.is_sent && open.response->status != 101)) {
      const auto moved = upstream_->receive({buffer.get(), kRead});
      const std::string_view bytes(buffer.get(), moved.bytes);
      if (moved.is_closed) {
        error_code error;
        const bool has_head = open.response->is_header_done();
        if (has_head && !open.is_over) open.response->put_eof(error);
        const bool is_whole = has_head && open.response->is_done() && !error && !moved.is_broken;
        if (!open.is_over && is_whole) open.ending = Ending::complete;
        if (!open.is_over && !is_whole && open.ending != Ending::client_disconnect) {
          open.ending = open.first_byte > 0 ? Ending::upstream_cut : Ending::upstream_no_response;
        }
        end_client(moved.is_broken && !open.is_over);
        open.is_over = true;
        co_return;
      }
      if (bytes.empty()) {
        if (co_await wait_for_provider(open)) continue;
        leave(open);
        co_return;
      }
      if (open.first_byte == 0) open.first_byte = std::max<std::int64_t>(since(open), 1);
      if (!co_await send_client(bytes)) {
        leave(open);
        co_return;
      }
      if (open.is_over) continue;
      std::string_view rest = bytes;
      if (!unread.empty()) rest = unread.append(bytes);
      open.is_over = understand(open, rest);
      unread = std::string(rest);
      if (!open.is_over) continue;
      open.ending = Ending::complete;
      open.after = unread;  // A handshake's; already passed on.
    }
  }

  // Ends the client's connection as the provider has ended its own.
  void end_client(bool is_broken) {
    error_code ignored;
    if (!is_broken) {
      client_.shutdown(tcp::socket::shutdown_send, ignored);
      return;
    }
    client_.set_option(asio::socket_base::linger(true, 0), ignored);
    client_.close(ignored);
  }

  std::unique_ptr<ResponseTap> make_tap(const Open& open) const {
    auto tap = std::make_unique<ResponseTap>(relay_.options_.most_body, relay_.room_);
    if (open.request.method == "HEAD") tap->skip(true);
    return tap;
  }

  // Reads what can be read, and leaves the rest. True when the final response is complete.
  bool understand(Open& open, std::string_view& unread) const {
    if (open.is_unreadable) unread = {};
    while (!unread.empty()) {
      const auto used = open.response->read(unread);
      open.is_unreadable = !used;  // It passes all the same, until someone closes.
      if (!used) return false;
      unread.remove_prefix(*used);
      if (open.response->is_done()) {
        const int status = open.response->status;
        if (status >= 200 || status == 101) return true;
        open.response = make_tap(open);  // 100 and its like come before the response.
      } else if (*used == 0) {
        return false;
      }
    }
    return open.response->is_done();
  }

  // Waits for bytes from the provider. False if the client left meanwhile. One that has ended only
  // its own half still reads.
  awaitable<bool> wait_for_provider(Open& open) {
    const bool is_client_heard = (open.is_sent || has_ended_) && !is_pipelined_;
    Wait& client = has_ended_ ? client_failed_ : client_readable_;
    if (upstream_->has_waited()) co_return true;
    if (!is_client_heard || !client.take()) {
      upstream_->begin_wait();
      if (is_client_heard) {
        client.begin(client_, has_ended_ ? tcp::socket::wait_error : tcp::socket::wait_read);
      }
      co_await sleeper_->sleep();
      if (upstream_->has_waited() || !is_client_heard || !client.take()) co_return true;
    }
    const ssize_t seen = peek_client();
    // After a response that cannot be read, its end is unknown when the next request comes.
    if (seen > 0 && open.is_unreadable) co_return false;
    is_pipelined_ = seen > 0;  // The next request already: it waits its turn.
    if (seen != 0) co_return seen > 0 || errno == EAGAIN;
    if (has_ended_ || relay_.is_stopping_) co_return false;
    has_ended_ = true;
    pass_end(open);
    co_return true;
  }

  // Records a WebSocket on which a model is asked.
  void listen_to(Open& open) {
    constexpr std::string_view kResponses = "/responses";
    const std::string_view target = open.request.target;
    if (!target.substr(0, target.find('?')).ends_with(kResponses)) return;
    open.socket = std::make_unique<SocketExchanges>(
        relay_.options_.most_body,
        [this, &open](SocketExchanges::Part part) { report(open, std::move(part)); });
    hear(open, open.after, false);
  }

  void hear(Open& open, std::string_view bytes, bool is_client) {
    if (!open.socket) return;
    const std::int64_t now = since(open);
    const bool is_read =
        is_client ? open.socket->read_client(bytes, now) : open.socket->read_server(bytes, now);
    if (!is_read) {
      open.socket.reset();  // It passes all the same.
      return drop("request_decode");
    }
    if (!open.socket->is_idle()) {
      relay_.idle_.remove(&client_);
    } else if (relay_.is_stopping_) {
      error_code ignored;
      client_.close(ignored);
    } else {
      relay_.idle_.remove(&client_);
      relay_.idle_.push_back(&client_);
    }
  }

  awaitable<void> pass_on_to_provider(Open& open) {
    bool is_open = true;
    while (is_open) {
      is_open = co_await upstream_->send(pending_);
      hear(open, std::exchange(pending_, {}), true);
      is_open = is_open && co_await read_client();
    }
    if (!open.is_over) open.ending = Ending::client_disconnect;
    open.is_over = true;
    relay_.idle_.remove(&client_);
    has_ended_ ? upstream_->end_sending() : upstream_->close();
  }

  awaitable<void> pass_on_to_client(Open& open) {
    const Buffer buffer = make_buffer();
    open.is_over = false;
    while (true) {
      const auto moved = upstream_->receive({buffer.get(), kRead});
      if (moved.is_closed) break;
      if (moved.bytes == 0) {
        if (!upstream_->has_waited()) {
          upstream_->begin_wait();
          co_await sleeper_->sleep();
        }
        continue;
      }
      const std::string_view bytes(buffer.get(), moved.bytes);
      const bool is_passed = co_await send_client(bytes);
      hear(open, bytes, false);
      if (!is_passed) break;
    }
    if (!open.is_over) open.ending = Ending::upstream_cut;
    open.is_over = true;
    error_code ignored;
    client_.shutdown(tcp::socket::shutdown_both, ignored);
  }

  void drop(std::string_view reason) const {
    if (relay_.options_.on_dropped) relay_.options_.on_dropped(reason);
  }

  // An exchange without its bodies.
  Exchange exchange_of(const Open& open) const {
    Exchange exchange;
    exchange.agent = relay_.options_.agent;
    exchange.upstream = address_->upstream;
    exchange.method = open.request.method;
    exchange.target = open.request.target.substr(address_->prefix.size());
    exchange.request_headers = kept_headers(open.request.headers);
    if (open.response && open.response->is_header_done()) {
      exchange.status = open.response->status;
      exchange.response_headers = kept_headers(open.response->headers);
    }
    return exchange;
  }

  void give(const Open& open, Exchange exchange) const {
    relay_.options_.on_exchange(std::move(exchange),
                                Credentials(open.request.headers, open.request.target));
  }

  void report(Open& open) {
    if (open.socket) return open.socket->close(open.ending, since(open));
    const bool is_too_long =
        open.request.is_too_long() || (open.response && open.response->is_too_long());
    if (is_too_long) return drop("request_over_budget");
    Exchange exchange = exchange_of(open);
    exchange.request = std::move(open.request.body);
    if (open.response) exchange.response = std::move(open.response->body);
    exchange.begun = open.begun;
    exchange.first_byte = open.first_byte;
    exchange.end = since(open);
    exchange.ending = open.ending;
    give(open, std::move(exchange));
  }

  // … of a message on a WebSocket, and the response to it.
  void report(const Open& open, SocketExchanges::Part part) const {
    if (!part.is_whole) return drop("request_over_budget");
    Exchange exchange = exchange_of(open);
    exchange.request = std::move(part.request);
    exchange.response = std::move(part.response);
    exchange.begun = Timestamp{open.begun.micros + part.begun};
    exchange.first_byte = part.first_byte == 0 ? 0 : part.first_byte - part.begun;
    exchange.end = part.end - part.begun;
    exchange.ending = part.ending;
    give(open, std::move(exchange));
  }

  Impl& relay_;
  tcp::socket client_;
  const std::shared_ptr<Sleeper> sleeper_;  // Waits for the provider, and for the client beside it.
  Wait client_readable_;
  Wait client_failed_;
  std::optional<Upstream> upstream_;
  const Address* address_ = nullptr;  // Where it leads.
  std::string pending_;               // From the client, not passed on yet.
  std::size_t head_ = 0;              // In pending_: the end of the request's head,
  std::size_t read_ = 0;              // and of what its tap has read.
  bool is_pipelined_ = false;
  bool has_ended_ = false;  // The client sends no more.
};

awaitable<void> Relay::Impl::accept() {
  while (true) {
    error_code error;
    tcp::socket client = co_await acceptor_.async_accept(redirect_error(use_awaitable, error));
    if (is_stopping_) co_return;
    if ((error || sessions_ >= most_sessions_) && !idle_.empty()) {
      error_code ignored;
      idle_.front()->close(ignored);
      idle_.pop_front();
    }
    if (error) {  // No file descriptors are left, for example: some may be soon.
      asio::steady_timer pause(io_, std::chrono::milliseconds(50));
      co_await pause.async_wait(redirect_error(use_awaitable, error));
      continue;
    }
    const auto serve = [](Impl& relay, tcp::socket socket) -> awaitable<void> {
      Session session(relay, std::move(socket));
      co_await session.run();
    };
    asio::co_spawn(io_, serve(*this, std::move(client)), asio::detached);
  }
}

Relay::Relay(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Relay::~Relay() = default;

Result<std::unique_ptr<Relay>> Relay::make(int socket, RelayOptions options) {
  std::vector<Address> addresses;
  for (const Route& route : options.routes) addresses.push_back(TRY(read_address(route)));
  return std::unique_ptr<Relay>(
      new Relay(std::make_unique<Impl>(socket, std::move(addresses), std::move(options))));
}

Result<void> Relay::check(const std::vector<Route>& routes) {
  for (const Route& route : routes) TRY(read_address(route));
  return {};
}

void Relay::run() { impl_->run(); }
void Relay::stop() { impl_->stop(); }
void Relay::abandon() { impl_->abandon(); }

}  // namespace spoor::proxy
