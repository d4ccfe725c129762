#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace spoor::proxy {

/// Reads the messages of one direction of a WebSocket (RFC 6455) that passes by in parts, also
/// where they are compressed (permessage-deflate, RFC 7692). Changes nothing of it, and answers
/// nothing: pings and the like are passed over.
///
/// Boost.Beast's stream speaks for one end and cannot listen to two others; hence this reader.
class SocketMessages {
 public:
  /// Messages longer than `most` are passed by: `is_whole` is false, and `text` empty.
  using OnMessage = std::function<void(std::string text, bool is_whole)>;

  SocketMessages(std::size_t most, OnMessage on_message);
  ~SocketMessages();
  SocketMessages(SocketMessages&&) noexcept;
  SocketMessages& operator=(SocketMessages&&) = delete;

  /// Reads what follows what was read before. False: it is not a WebSocket; no more is read.
  bool read(std::string_view bytes);

 private:
  class Inflater;

  bool read_head();
  void read_payload(std::string_view part);
  bool end_frame();

  const std::size_t most_;
  const OnMessage on_message_;
  std::unique_ptr<Inflater> inflater_;  // Made at the first compressed message.
  std::string head_;                    // The frame's, until it is complete.
  bool is_in_frame_ = false;
  bool is_broken_ = false;
  bool is_final_ = false;    // The frame ends its message.
  bool is_control_ = false;  // … belongs to none.
  std::uint64_t left_ = 0;   // The rest of the payload.
  std::uint32_t mask_ = 0;
  std::uint32_t masked_ = 0;    // Bytes of the payload so far, modulo 4.
  bool is_in_message_ = false;  // A message has begun and not ended.
  bool is_compressed_ = false;  // It is.
  bool is_too_long_ = false;
  std::string message_;
};

}  // namespace spoor::proxy
