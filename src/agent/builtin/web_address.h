#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spoor::agent::builtin {

/// Where an http or https address leads.
struct WebAddress {
  std::string scheme;  ///< `http` or `https`
  std::string host;    ///< in lower case; of IPv6 with its brackets
  std::string port;    ///< always there: 80 and 443 where none is named
  std::string target;  ///< path and query, `/` at least

  std::string text() const;

  bool operator==(const WebAddress&) const = default;
};

/// Takes an address apart, strictly (RFC 3986): what two readers might understand in two ways is
/// refused, such as white space, backslashes, bytes beyond ASCII, and a user before the host. A
/// fragment is dropped. Code::invalid.
Result<WebAddress> parse_web_address(std::string_view text);

/// Where a redirect leads, from `base`: an address, `//host/path`, `/path`, `?query` or `name`.
Result<WebAddress> follow(const WebAddress& base, std::string_view location);

/// May one go there? By Settings::hosts.
bool is_allowed(const WebAddress& address, std::span<const std::string> hosts);

}  // namespace spoor::agent::builtin
