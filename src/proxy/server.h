#pragma once

namespace spoor::proxy {

/// Serves on a listening socket: a Relay, or a receiver of telemetry.
class Server {
 public:
  virtual ~Server() = default;

  /// Serves until stop(), and then until what is open has ended.
  virtual void run() = 0;

  /// Closes the listening socket and all connections that wait for a request. Safe to call from any
  /// thread, and from a signal handler's thread, not from the handler itself.
  virtual void stop() = 0;

  /// Ends run() at once: what is open is lost. Safe to call from any thread.
  virtual void abandon() = 0;
};

}  // namespace spoor::proxy
