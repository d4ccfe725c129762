#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "proxy/server.h"
#include "sync/streams.h"

namespace spoor::serve {

/// The longest message of an agent, in bytes.
constexpr std::size_t kMostMessage = 4U << 20U;

/// A socket that listens, and where.
struct Listener {
  Descriptor socket;
  std::string url;  ///< `http://127.0.0.1:7411`
};

/// Listens at `HOST:PORT`, where HOST is an address, `[…]` for one of IPv6, and port 0 is any that
/// is free. Code::invalid for another form, Code::io if that is not possible.
Result<Listener> listen_at(const std::string& address);

/// A message of the Model Context Protocol, and the headers that repeat parts of it. A header that
/// was sent twice has both values.
struct PostedMessage {
  std::string body;
  std::optional<std::string> version;  ///< MCP-Protocol-Version
  std::optional<std::string> method;   ///< Mcp-Method
  std::optional<std::string> name;     ///< Mcp-Name
};

/// Its answer: JSON, or nothing for a notification.
struct MessageAnswer {
  unsigned status = 200;
  std::string body;
};

/// The side of one who is let in. Code::denied before any byte: is not let in any more.
struct Admitted {
  std::string name;            ///< each name has a limit of connections
  sync::AnswerRequest answer;  ///< to another store
  std::function<Result<MessageAnswer>(const PostedMessage&)> answer_message;  ///< to an agent
};

struct HttpServerOptions {
  /// Lets in the one who has this bearer token, for one connection. Called for each connection, on
  /// its thread; what it returns is used on that thread. Code::denied: the token is not accepted.
  std::function<Result<Admitted>(std::string_view token)> admit;
  std::size_t most_connections = 128;
  std::size_t most_of_one = 16;               ///< connections of one name
  std::chrono::milliseconds head{10'000};     ///< for a request's head
  std::chrono::milliseconds silence{60'000};  ///< for each wait within a body
  std::chrono::milliseconds idle{300'000};    ///< between two requests of one who is let in
};

/// Answers the requests of other stores and of agents over HTTP/1.1: `POST …/sync` and `POST …/mcp`
/// with a bearer token, whatever the path before it. Each connection has a thread.
///
/// Status 401 without a token that is accepted, 403 to pages of a browser, 404 and 405 to other
/// requests, 413 to a message above kMostMessage, 415 to other contents, 503 when there are too
/// many connections. Else 200 with what the store answers, which may be an error, or the status of
/// the message's answer.
class HttpServer final : public proxy::Server {
 public:
  HttpServer(Descriptor socket, const HttpServerOptions& options);
  ~HttpServer() override;

  void run() override;
  void stop() override;
  void abandon() override;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace spoor::serve
