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

/// One HTTP exchange to be made. Views are borrowed for the call.
struct Request {
  std::string method = "POST";
  std::string url;
  Headers headers;  ///< may hold a key: never logged, never part of a message
  std::string_view body;
  std::stop_token stop;
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds idle_timeout{120'000};  ///< with no byte either way for so long
};

/// How a response begins.
struct Head {
  int status = 0;
  Headers headers;  ///< names in lower case; of several equal ones each

  /// The first header of that (lower-case) name; empty: none.
  std::string_view find(std::string_view name) const;
};

/// Takes a response while it arrives. False from `on_bytes` ends the exchange (not a failure).
struct Sink {
  std::function<void(const Head&)> on_head;
  std::function<bool(std::string_view)> on_bytes;
};

/// Makes HTTP exchanges. Redirects are not followed: they are answers like others. Safe to call
/// from several threads at once.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends `request` and feeds `sink`, on the calling thread. Any status is a success here; nothing
  /// when the exchange came to its end, else why not: network, timeout, interrupted, malformed, or
  /// invalid_request for an address that is none.
  virtual std::optional<Failure> send(const Request& request, const Sink& sink) = 0;
};

}  // namespace spoor::llm::http
