#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spoor::agent::builtin {

/// A parsed http or https address.
struct WebAddress {
  std::string scheme;  ///< `http` or `https`
  std::string host;    ///< in lower case; for IPv6 with its brackets
  std::string port;    ///< always set: 80 or 443 by default
  std::string target;  ///< path and query, at least `/`

  std::string text() const;

  bool operator==(const WebAddress&) const = default;
};

/// Parses an address strictly (RFC 3986). Returns Code::invalid for anything that two parsers might
/// read differently, such as white space, backslashes, bytes beyond ASCII, and a user before the
/// host. Drops a fragment.
Result<WebAddress> parse_web_address(std::string_view text);

/// Resolves a redirect from `base`: an address, `//host/path`, `/path`, `?query` or `name`.
Result<WebAddress> follow(const WebAddress& base, std::string_view location);

/// Reports whether an address is allowed by `hosts` (Settings::hosts).
bool is_allowed(const WebAddress& address, std::span<const std::string> hosts);

}  // namespace spoor::agent::builtin
