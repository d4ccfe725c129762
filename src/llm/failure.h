#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spoor::llm {

/// Why a call did not come to its end. Beside it stands what arrived before (reply.h).
struct Failure {
  enum class Kind {
    rate_limited,     ///< too many requests or tokens just now; waiting helps
    quota,            ///< a spend limit or the day's quota: waiting a little does not help
    overloaded,       ///< the provider has no room now (503, 529)
    timeout,          ///< nothing came within the time, or the provider gave up (408, 504)
    unauthorized,     ///< no key, a wrong one, or one that may not do this (401, 403)
    not_found,        ///< no such model or address (404)
    too_long,         ///< the prompt does not fit the model (413 and what says so)
    invalid_request,  ///< any other refusal of the request itself (4xx)
    server,           ///< the provider broke (5xx, or an error event inside a stream)
    network,          ///< no connection, TLS, a reset, an end without the protocol's own end
    malformed,        ///< an answer that is none
    interrupted,      ///< cancelled by us
  };

  Kind kind = Kind::server;
  int status = 0;       ///< HTTP's; 0: none came
  std::string type;     ///< the provider's own word, such as `overloaded_error`; may be empty
  std::string message;  ///< for people, the provider's own text where it gave one: untrusted
  std::string raw;      ///< the error object or body, byte for byte, up to 64 KiB
  std::optional<std::chrono::milliseconds> retry_after;  ///< what the provider asks to wait
  std::optional<bool> should_retry;                      ///< `x-should-retry`, where it came

  bool operator==(const Failure&) const = default;
};

/// `rate_limited`, `quota`, …
std::string_view name_of(Failure::Kind kind);

/// The kind that an HTTP status and the provider's words (its error's `type` or `code`, and
/// message) come to. `status` 0: inside a stream.
Failure::Kind kind_of_failure(int status, std::string_view type, std::string_view message);

/// As an error of this library: interrupted, denied (unauthorized, quota), not_found, invalid
/// (invalid_request, too_long) or unavailable (all others), with a hint.
Error to_error(const Failure& failure);

}  // namespace spoor::llm
