#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "llm/http/byte_stream.h"

namespace spoor::serve {

/// How long a wait for the other side may take.
struct Patience {
  std::chrono::milliseconds most{60'000};  ///< of each wait
  std::function<bool()> is_cancelled;  ///< polled by each call, and while it waits; may be empty
};

/// The bytes of a connection. Calls block; they return Code::unavailable if the other side is lost
/// or silent, and Code::interrupted if they were cancelled. For one thread; the process must ignore
/// SIGPIPE.
class Wire {
 public:
  using Moved = llm::http::ByteStream::Moved;

  /// Borrows the socket.
  Wire(int socket, Patience patience);
  Wire(std::unique_ptr<llm::http::ByteStream> stream, Patience patience);

  /// Fills the front of `into`; 0 at the end.
  Result<std::size_t> receive(std::span<char> into);

  /// Returns how many of the bytes were sent: at least one.
  Result<std::size_t> send(std::string_view bytes);

  void set_patience(std::chrono::milliseconds most) { patience_.most = most; }

  /// Sets when all waits end; nullopt: each has its own time.
  void set_deadline(std::optional<std::chrono::steady_clock::time_point> end) { deadline_ = end; }

  /// Returns whether the other side closed it, or sent what nobody asked for.
  bool is_stale() const;

 private:
  Result<void> wait(short events) const;
  Result<void> check_cancelled() const;

  std::unique_ptr<llm::http::ByteStream> stream_;  // Null: a socket.
  int number_;
  Patience patience_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
};

}  // namespace spoor::serve
