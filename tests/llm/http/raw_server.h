#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace spoor::testing {

/// A server on this machine that says whatever bytes a test wants, and breaks connections as a test
/// wants. Each connection has a thread of its own.
class RawServer {
 public:
  /// One connection, with a request that was read from it.
  class Connection {
   public:
    explicit Connection(int socket) : socket_(socket) {}

    /// Head and body; empty when the other side has closed.
    std::string read_request();
    /// False: the other side has closed.
    bool send(std::string_view bytes);
    /// Until the other side closes, or the server goes.
    void wait_for_close();
    /// Cuts the connection so that the other side sees a reset.
    void reset();

   private:
    int socket_;
    std::string behind_;  // Bytes that came behind a request.
  };

  /// Called for each request. False: close the connection.
  using Handler = std::function<bool(Connection& connection, const std::string& request)>;

  explicit RawServer(Handler handler);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  /// `http://127.0.0.1:PORT`
  std::string url() const;

  std::size_t connections() const;
  std::vector<std::string> requests() const;

 private:
  void accept_all();
  void serve(int socket);

  const Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<int> sockets_;           // Guarded by mutex_, like all below.
  std::vector<std::jthread> threads_;  // Joined before the sockets are closed.
  std::vector<std::string> requests_;
  std::jthread acceptor_;
};

/// A response with its length.
std::string response(std::string_view status, std::string_view body, std::string_view headers = "");

}  // namespace spoor::testing
