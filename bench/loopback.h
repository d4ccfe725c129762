#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace spoor::bench {

/// A connection to a port of 127.0.0.1, with blocking calls. Failures throw Failed.
class Connection {
 public:
  explicit Connection(int port);
  /// Takes an open socket.
  static Connection of(int socket) { return Connection(socket, nullptr); }
  ~Connection();
  Connection(Connection&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(std::string_view bytes) const;
  /// Reads something; empty if the other side has ended. Valid until the next call.
  std::string_view receive();
  int socket() const { return socket_; }

 private:
  Connection(int socket, std::nullptr_t) : socket_(socket) {}
  int socket_;
  std::string buffer_ = std::string(std::size_t{256} << 10U, '\0');
};

/// A listening socket at a port of 127.0.0.1 that is free.
struct Listener {
  Listener();
  int socket = -1;
  int port = 0;
};

/// A provider in threads of this process. It reads a whole request, and answers with what the
/// request's header `Answer` says, and blanks up to the number of bytes that `Want` says.
class Provider {
 public:
  Provider();
  ~Provider();
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;
  int port() const { return listener_.port; }

 private:
  Listener listener_;
  std::jthread thread_;
};

/// The least that a relay does, in a process of its own: connects for each client to `upstream`,
/// and copies bytes both ways as poll() names them.
class BareRelay {
 public:
  explicit BareRelay(int upstream);
  ~BareRelay();
  BareRelay(const BareRelay&) = delete;
  BareRelay& operator=(const BareRelay&) = delete;
  int port() const { return listener_.port; }
  pid_t process() const { return process_; }

 private:
  Listener listener_;
  pid_t process_ = -1;
};

}  // namespace spoor::bench
