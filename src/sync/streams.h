#pragma once

#include <functional>
#include <memory>

#include "base/descriptor.h"
#include "sync/message.h"

namespace spoor::sync {

/// Messages over a pair of byte streams: a socket, or pipes. A message is frames, each its length
/// in four bytes, the highest first, and that many bytes; a frame without bytes ends it.
class Streams {
 public:
  /// Borrows the descriptors. `is_cancelled` is polled at each call of the system; may be empty.
  Streams(int in, int out, std::function<bool()> is_cancelled = {})
      : in_(in), out_(out), is_cancelled_(std::move(is_cancelled)) {}

  /// Returns whether another message begins; false at the end of the stream.
  Result<bool> has_next();

  /// Fills the front of `to` with bytes of the current message; 0 at its end.
  Result<std::size_t> read(std::span<char> to);

  /// Reads what is left of the current message.
  Result<void> skip();

  Result<void> write(std::string_view bytes);
  Result<void> end_message();

 private:
  Result<bool> read_all(std::span<char> to);
  Result<void> write_all(std::string_view bytes);
  Result<void> next_frame();

  const int in_;
  const int out_;
  const std::function<bool()> is_cancelled_;
  std::size_t left_ = 0;  // In the current frame.
  bool is_open_ = false;  // A message has begun and not ended.
};

/// A link over a socket.
class SocketLink final : public Link {
 public:
  explicit SocketLink(Descriptor socket, std::function<bool()> is_cancelled = {})
      : socket_(std::move(socket)),
        streams_(socket_.number(), socket_.number(), std::move(is_cancelled)) {}

  Result<ByteSource> ask(const std::function<Result<void>(const ByteSink&)>& write) override;

 private:
  const Descriptor socket_;
  Streams streams_;
};

/// Answers one request; `answer` gets the bytes of the answer.
using AnswerRequest =
    std::function<Result<void>(const ByteSource& request, const ByteSink& answer)>;

/// Answers requests until the other side closes the stream. An error ends it.
Result<void> answer_stream(Streams& streams, const AnswerRequest& answer);

/// Returns two sockets that are connected with each other.
Result<std::pair<Descriptor, Descriptor>> socket_pair();

}  // namespace spoor::sync
