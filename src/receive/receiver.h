#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "proxy/server.h"
#include "receive/answer.h"

namespace spoor::receive {

struct ReceiverOptions {
  Put put;                             ///< called on a thread of its own, one post at a time
  std::size_t most_body = 64U << 20U;  ///< of a post, also when decoded
  /// The sum for all posts that are being read or answered; one that does not fit gets 503.
  std::size_t most_bodies = 256U << 20U;
  std::chrono::seconds patience{30};  ///< for a whole head, and then for a whole body
  std::chrono::seconds idle{300};     ///< between two requests of a connection
};

/// Receives telemetry as OTLP/HTTP: HTTP/1.1 with keep-alive. Answers programs on this machine
/// only, and no pages (403). A client whose post was answered with 200 can forget it.
class Receiver final : public proxy::Server {
 public:
  /// `socket` listens on a loopback address; it becomes the receiver's.
  Receiver(int socket, ReceiverOptions options);
  ~Receiver() override;

  void run() override;
  void stop() override;
  void abandon() override;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace spoor::receive
