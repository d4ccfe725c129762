#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/timestamp.h"
#include "llm/http/transport.h"

/// Reads a response's headers for data other than the status.
namespace spoor::llm::http {

/// Returns the wait that the provider asks for: `retry-after-ms`, else `retry-after` (seconds, or a
/// date, RFC 9110, 10.2.3), else the time until the last of the exhausted limits of
/// `anthropic-ratelimit-*` is reset. Zero if that time has passed. Nullopt if there is no such
/// header, or it is malformed.
std::optional<std::chrono::milliseconds> asked_wait(const Head& head, Timestamp now);

/// Returns the value of `x-should-retry` (`true` or `false`); nullopt if absent.
std::optional<bool> asked_retry(const Head& head);

/// Returns the provider's id of the request, for its support team; empty if absent. Printable
/// ASCII.
std::string request_id(const Head& head);

/// Parses a date in the one form that servers must send, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110,
/// 5.6.7).
std::optional<Timestamp> read_http_date(std::string_view text);

/// Adds these facts to `failure`, which this response reported.
void add_facts(Failure& failure, const Head& head, Timestamp now);

}  // namespace spoor::llm::http
