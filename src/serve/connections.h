#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "base/descriptor.h"
#include "proxy/server.h"
#include "serve/wire.h"

namespace spoor::serve {

struct ConnectionLimits {
  std::size_t most = 128;                  ///< connections at once
  std::chrono::milliseconds head{10'000};  ///< for the first request's head
};

/// A connection, for the function that answers its requests.
class Guest {
 public:
  virtual ~Guest() = default;

  virtual Wire& wire() = 0;

  /// Protects the connection while it is not idle: another one is ended when there are too many.
  virtual void let_in() = 0;

  /// Tells whether a request is being answered: not so between two requests, nor while it only
  /// waits for news. stop() ends the waits of an idle connection, and it makes room when there are
  /// too many, though after those that were not let in.
  virtual void set_idle(bool is_idle) = 0;

  /// Returns true after stop(): no more requests are to be read.
  virtual bool is_stopping() const = 0;
};

/// Accepts connections on a listening socket. Each has a thread, which calls `serve`; the
/// connection is closed when that returns.
class Connections final : public proxy::Server {
 public:
  Connections(Descriptor socket, ConnectionLimits limits, std::function<void(Guest&)> serve);
  ~Connections() override;

  void run() override;
  void stop() override;
  void abandon() override;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace spoor::serve
