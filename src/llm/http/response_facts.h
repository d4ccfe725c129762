#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/timestamp.h"
#include "llm/http/transport.h"

/// What the head of a response says beside its status.
namespace spoor::llm::http {

/// How long the provider asks us to wait: `retry-after-ms`, else `retry-after` (seconds, or a date,
/// RFC 9110, 10.2.3), else when the last of the used-up limits of `anthropic-ratelimit-*` is reset.
/// A time that has passed is zero. Nothing: not said, or not readable.
std::optional<std::chrono::milliseconds> asked_wait(const Head& head, Timestamp now);

/// `x-should-retry: true` or `false`; nothing: not said.
std::optional<bool> asked_retry(const Head& head);

/// The provider's name of the request, to show to its support; empty: not said. Printable ASCII.
std::string request_id(const Head& head);

/// A date in the one form that servers must send, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC
/// 9110, 5.6.7).
std::optional<Timestamp> read_http_date(std::string_view text);

/// Puts the facts above into a failure that this response told.
void add_facts(Failure& failure, const Head& head, Timestamp now);

}  // namespace spoor::llm::http
