#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "llm/http/curl_transport.h"
#include "proxy/credentials.h"
#include "proxy/exchange.h"
#include "proxy/server.h"

namespace spoor::proxy {

/// Where requests go.
struct Route {
  /// With what the targets of its requests begin: empty, or as `/anthropic`. The provider gets the
  /// rest.
  std::string prefix;
  /// Scheme, host, and the beginning of the path, which comes before that of each request.
  /// `https://api.anthropic.com`, `http://127.0.0.1:8080/gateway`.
  std::string upstream;
};

struct RelayOptions {
  std::vector<Route> routes;  ///< the first that fits counts
  std::string agent = {};     ///< Exchange::agent
  /// Called with each exchange after its end, on the relay's thread: must not block. The bodies are
  /// as they passed: take_out() must be called before they are kept anywhere.
  std::function<void(Exchange, Credentials)> on_exchange;
  /// Called with each exchange that is not given to on_exchange, and why. May be empty.
  std::function<void(std::string_view reason)> on_dropped = {};
  std::size_t most_body = 128U << 20U;    ///< longer bodies pass, and are not recorded
  std::size_t most_in_all = 512U << 20U;  ///< … where those of all open exchanges are longer
  llm::http::CurlOptions curl = {};
};

/// Passes requests on to their providers, and responses back, byte for byte and as they come: only
/// the `Host` and the beginning of the path are the upstream's. HTTP/1.1 with keep-alive,
/// server-sent events, and WebSocket (RFC 6455) after its handshake. The upstream's certificate is
/// verified.
///
/// Ends are passed on as well: a half that ends, a reset of the provider, the end of an idle
/// connection. When file descriptors run out, the longest idle client is closed for a new one.
///
/// Answers itself only where nothing can be passed on: 403 to a `Host` or `Origin` that is not this
/// machine, 404 to a target without a route, 405 to CONNECT, 400 to what is not a request, 502 if
/// the upstream cannot be reached.
///
/// On a WebSocket to `/responses` each request is an exchange (socket_exchanges.h), as it ends.
/// Exchanges are recorded after the last byte has gone to the client, never before it. The process
/// must ignore SIGPIPE.
class Relay final : public Server {
 public:
  /// Code::invalid if an upstream is no http or https address.
  static Result<void> check(const std::vector<Route>& routes);

  /// `socket` listens on a loopback address; it becomes the relay's. Errors are those of
  /// check().
  static Result<std::unique_ptr<Relay>> make(int socket, RelayOptions options);
  ~Relay() override;

  void run() override;
  void stop() override;
  void abandon() override;

 private:
  class Impl;
  explicit Relay(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace spoor::proxy
