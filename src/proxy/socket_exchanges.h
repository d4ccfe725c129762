#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "proxy/exchange.h"
#include "proxy/socket_messages.h"

namespace spoor::proxy {

/// Makes exchanges of the messages of a WebSocket on which responses are asked for
/// (https://developers.openai.com/api/docs/guides/websocket-mode): a client's `response.create`
/// begins one, and `response.completed` or its like ends it. Those that run at once are told apart
/// by `stream_id`. Other messages of the client, such as one that cancels a response, are none.
///
/// The response's body has one message of the server a line: an LF within one, where JSON has only
/// white space, becomes a space.
class SocketExchanges {
 public:
  /// One of them. Times are those of `now`, in microseconds.
  struct Part {
    std::string request;
    std::string response;
    std::int64_t begun = 0;
    std::int64_t first_byte = 0;  ///< 0: there was no response
    std::int64_t end = 0;
    Ending ending = Ending::complete;
    bool is_whole = true;  ///< false: a message was too long to be kept
  };
  using OnPart = std::function<void(Part part)>;

  SocketExchanges(std::size_t most, OnPart on_part);

  /// Bytes that passed at `now`. False: they cannot be read, nor what follows.
  bool read_client(std::string_view bytes, std::int64_t now);
  bool read_server(std::string_view bytes, std::int64_t now);

  /// Whether none is open.
  bool is_idle() const { return open_.empty(); }

  /// Gives those that are open. `ending` says who ended the connection.
  void close(Ending ending, std::int64_t now);

 private:
  void take_client(std::string text, bool is_whole);
  void take_server(std::string text, bool is_whole);
  void give(const std::string& stream, Ending ending);

  const std::size_t most_;
  const OnPart on_part_;
  SocketMessages client_;
  SocketMessages server_;
  std::int64_t now_ = 0;
  std::map<std::string, Part> open_;  // By stream.
};

}  // namespace spoor::proxy
