#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llm/failure.h"

namespace spoor::llm::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// A request of one HTTP exchange. Views are borrowed for the call.
struct Request {
  std::string method = "POST";
  std::string url;
  Headers headers;  ///< may contain a key: never log it or put it into a message
  std::string_view body;
  std::stop_token stop;
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds idle_timeout{120'000};  ///< longest time without a byte either way
};

/// The status and the headers of a response.
struct Head {
  int status = 0;
  Headers headers;  ///< names in lower case; repeated headers are all kept

  /// Returns the first header with this (lower-case) name; empty if there is none.
  std::string_view find(std::string_view name) const;
};

/// Receives a response while it arrives. If `on_bytes` returns false, the exchange ends without a
/// failure.
struct Sink {
  std::function<void(const Head&)> on_head;
  std::function<bool(std::string_view)> on_bytes;
};

/// Makes HTTP exchanges. Does not follow redirects: they are returned like other responses. Safe to
/// call from several threads at once.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends `request` and passes the response to `sink`, on the calling thread. Every status is a
  /// success here. Returns nullopt if the exchange completed, else the failure: network, timeout,
  /// interrupted, malformed, or invalid_request for an invalid URL.
  virtual std::optional<Failure> send(const Request& request, const Sink& sink) = 0;
};

}  // namespace spoor::llm::http
