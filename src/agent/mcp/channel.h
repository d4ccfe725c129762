#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/builtin/deadline.h"
#include "base/json/reader.h"
#include "base/result.h"

/// A client of the Model Context Protocol: servers give an agent tools. Sources: the specification
/// at modelcontextprotocol.io, revisions 2026-07-28 (Base Protocol, Versioning, stdio, Streamable
/// HTTP, Multi Round-Trip Requests, Subscriptions, Cancellation, Progress, Tools) and 2025-11-25
/// (Lifecycle, Transports, Cancellation, Progress, Roots, Tools).
namespace spoor::agent::mcp {

using builtin::Deadline;

/// The largest message of a server, in bytes.
constexpr std::size_t kMostMessage = 16U << 20U;

/// A JSON-RPC error of a server.
struct RpcError {
  std::int64_t code = 0;
  std::string message;
  std::string data;  ///< JSON; empty: none

  bool operator==(const RpcError&) const = default;
};

/// The answer to a request: a result or an error.
struct Answer {
  std::string result;             ///< a JSON object; empty if there is an error
  std::optional<RpcError> error;  ///< the server's
};

/// A request to a server.
struct Request {
  std::string method;
  std::string params;  ///< a JSON object
  /// Further headers, over HTTP: names and values that are safe in a header.
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Receives what a server sends by itself. Called from any thread, by one at a time.
struct Listener {
  /// A notification: its method and `params`.
  std::function<void(std::string_view method, const json::Value& params)> notified;
  /// A request of the server. Returns the result as a JSON object, or an error.
  std::function<Answer(std::string_view method)> asked;
};

/// Carries messages to one server and back. Thread-safe.
class Channel {
 public:
  virtual ~Channel() = default;

  /// Sends a request and waits for its answer. At the deadline the server is told that the request
  /// is cancelled. Returns Code::unavailable if the server is gone, does not speak the protocol, or
  /// answers in another way than a message; Code::interrupted or Code::denied at the deadline, with
  /// what the server printed last in the hint.
  virtual Result<Answer> ask(const Request& request, const Deadline& deadline) = 0;

  /// Sends a notification. Does not wait for a server that does not read.
  virtual Result<void> tell(std::string_view method, std::string_view params) = 0;

  /// Sends a request whose answer is only notifications, and returns at once.
  virtual void listen(const Request& request) = 0;

  /// Sets the protocol revision of all later messages.
  virtual void speak(std::string_view revision) = 0;

  /// False once the server has ended, or its session has: later requests fail.
  virtual bool is_alive() const = 0;

  /// True if messages are sent over HTTP.
  virtual bool is_http() const = 0;
};

/// Writes a request, a notification (an empty `id`) or an answer as one line without a line end.
/// `id` and `params` are JSON.
std::string write_request(std::string_view id, std::string_view method, std::string_view params);
std::string write_answer(std::string_view id, const Answer& answer);

/// Reads the answer in a message. Returns nullopt if it is none.
std::optional<Answer> read_answer(const json::Value& message);

}  // namespace spoor::agent::mcp
