#include "serve/connections.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <list>
#include <system_error>
#include <thread>
#include <utility>

#include "base/os/pipe.h"
#include "base/os/wake.h"

namespace spoor::serve {

class Connections::Impl {
 public:
  Impl(Descriptor socket, ConnectionLimits limits, std::function<void(Guest&)> serve)
      : socket_(std::move(socket)), limits_(limits), serve_(std::move(serve)) {}

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
    std::atomic<bool> is_idle = true;
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
    if (connections_.size() >= limits_.most && !make_room()) return turn_away(client);
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

  // Ends the oldest connection that was not let in, else the oldest that is idle. False if there is
  // none.
  bool make_room() {
    const auto first = [&](const std::atomic<bool> Connection::*keeps, bool kept) {
      return std::ranges::find_if(connections_, [&](const Connection& each) {
        return each.*keeps == kept && !each.has_ended && !each.is_ending;
      });
    };
    auto oldest = first(&Connection::is_let_in, false);
    if (oldest == connections_.end()) oldest = first(&Connection::is_idle, true);
    if (oldest == connections_.end()) return false;
    oldest->is_ending = true;
    ::shutdown(oldest->client.number(), SHUT_RDWR);
    // Its thread ends in a moment; one that does not is one of a few.
    return connections_.size() < 2 * limits_.most;
  }

  static void turn_away(const Descriptor& client) {
    constexpr std::string_view kBusy =
        "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n"
        "Content-Length: 0\r\n\r\n";
    (void)!os::send_quietly(client.number(), kBusy, MSG_DONTWAIT);
  }

  class Caller final : public Guest {
   public:
    Caller(Impl& server, Connection& connection)
        : server_(server),
          connection_(connection),
          wire_(connection.client.number(), {server.limits_.head, [this] {
                                               return server_.is_abandoned_ ||
                                                      (server_.is_stopping_ && connection_.is_idle);
                                             }}) {}

    Wire& wire() override { return wire_; }
    void let_in() override { connection_.is_let_in = true; }
    void set_idle(bool is_idle) override { connection_.is_idle = is_idle; }
    bool is_stopping() const override { return server_.is_stopping_; }

   private:
    Impl& server_;
    Connection& connection_;
    Wire wire_;
  };

  void serve(Connection& connection) {
    Caller guest(*this, connection);
    serve_(guest);
    // The rest of the request is read: else its answer may be lost (RFC 9112, 9.6).
    constexpr std::chrono::seconds kLinger{2};
    ::shutdown(connection.client.number(), SHUT_WR);
    Wire& wire = guest.wire();
    wire.set_deadline(std::chrono::steady_clock::now() + kLinger);
    std::array<char, 4096> rest{};
    for (int i = 0; i < 64; ++i) {
      const auto count = wire.receive(rest);
      if (!count || *count == 0) break;
    }
  }

  Descriptor socket_;
  const ConnectionLimits limits_;
  const std::function<void(Guest&)> serve_;
  const os::Wake wake_;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<bool> is_abandoned_ = false;
  std::list<Connection> connections_;
};

Connections::Connections(Descriptor socket, ConnectionLimits limits,
                         std::function<void(Guest&)> serve)
    : impl_(std::make_unique<Impl>(std::move(socket), limits, std::move(serve))) {}
Connections::~Connections() = default;

void Connections::run() { impl_->run(); }
void Connections::stop() { impl_->stop(); }
void Connections::abandon() { impl_->abandon(); }

}  // namespace spoor::serve
