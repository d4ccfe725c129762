#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "llm/http/curl_transport.h"

namespace spoor::llm::http {

/// A connection to a server on which the caller speaks HTTP/1.1 itself: TCP, with TLS for an https
/// address, made by libcurl with everything that CurlTransport promises of certificates and
/// proxies.
///
/// The process must ignore SIGPIPE: a library may raise it by a write to a connection that the
/// server has closed, and holding it back for each call took as long as the call.
///
/// Not thread-safe. The socket does not block.
class ByteStream {
 public:
  /// Connects to the host of `url`. Blocks until that is done, at most `timeout`, and about a
  /// second after `stop`.
  static std::variant<std::unique_ptr<ByteStream>, Failure> connect(
      const std::string& url, std::chrono::milliseconds timeout, const CurlOptions& options = {},
      const std::stop_token& stop = {});
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// The socket, to wait for. It stays this object's.
  int socket() const;

  /// What a call did. Nothing moved and not closed: wait for the socket, and call again.
  struct Moved {
    std::size_t bytes = 0;
    bool is_closed = false;
    bool is_broken = false;  ///< closed by a reset, or otherwise without its end
  };
  Moved send(std::string_view bytes);
  Moved receive(std::span<char> into);

 private:
  class Handle;
  explicit ByteStream(std::unique_ptr<Handle> handle);

  const std::unique_ptr<Handle> handle_;
};

}  // namespace spoor::llm::http
