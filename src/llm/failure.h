#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spoor::llm {

/// The reason why a call did not complete. The reply also contains the pieces that arrived before
/// (reply.h).
struct Failure {
  enum class Kind {
    rate_limited,     ///< too many requests or tokens at the moment; waiting helps
    quota,            ///< a spend limit or a daily quota; a short wait does not help
    overloaded,       ///< the provider has no capacity at the moment (503, 529)
    timeout,          ///< no bytes arrived in time, or the provider gave up (408, 504)
    unauthorized,     ///< no key, a wrong key, or a key without permission (401, 403)
    not_found,        ///< no such model or address (404)
    too_long,         ///< the prompt does not fit the model (413, or an error with that meaning)
    invalid_request,  ///< any other refusal of the request itself (4xx)
    server,           ///< a provider error (5xx, or an error event inside a stream)
    network,          ///< no connection, a TLS error, a reset, or an early end
    malformed,        ///< an answer that cannot be read
    interrupted,      ///< cancelled by this program
  };

  Kind kind = Kind::server;
  int status = 0;       ///< HTTP status; 0: none was received
  std::string type;     ///< the provider's own type, such as `overloaded_error`; may be empty
  std::string message;  ///< for people; the provider's own text if it sent one: untrusted
  std::string raw;      ///< the error object or body, byte for byte, up to 64 KiB
  std::optional<std::chrono::milliseconds> retry_after;  ///< the delay that the provider asks for
  /// The wait that was not begun, since it is longer than Request::most_wait.
  std::optional<std::chrono::milliseconds> not_waited = {};
  std::optional<bool> should_retry;  ///< `x-should-retry`; nullopt: not sent

  bool operator==(const Failure&) const = default;
};

/// Returns `rate_limited`, `quota`, …
std::string_view name_of(Failure::Kind kind);

/// Returns the kind for an HTTP status and the provider's error. `type` is the error's `type` or
/// `code`. `status` is 0 for an error inside a stream.
Failure::Kind kind_of_failure(int status, std::string_view type, std::string_view message);

/// Converts a failure to an Error with a hint. Codes: interrupted, denied (unauthorized, quota),
/// not_found, invalid (invalid_request, too_long), else unavailable.
Error to_error(const Failure& failure);

}  // namespace spoor::llm
