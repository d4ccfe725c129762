#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/timestamp.h"
#include "llm/http/transport.h"

namespace spoor::proxy {

using llm::http::Headers;

/// How an exchange ended.
enum class Ending : std::uint8_t {
  complete,              ///< the client got the whole response
  client_disconnect,     ///< the client left first
  upstream_no_response,  ///< the provider was not reached, or sent nothing
  upstream_cut,          ///< the provider's response broke off
};

/// "complete", "client_disconnect", …
std::string_view name_of(Ending ending);

/// One request to a provider and the response to it, as they passed through the proxy. The bodies
/// are those of HTTP, without chunks; on a WebSocket, a message, and the messages that answer it,
/// one a line. The response's is as the provider compressed it until take_out() (credentials.h)
/// decodes it.
struct Exchange {
  std::string agent;     ///< who asked, as importers call it; empty: its headers may say
  std::string upstream;  ///< the address that requests go to, as `https://api.anthropic.com`
  std::string method;
  std::string target;       ///< as the client sent it; credentials in the query are replaced
  Headers request_headers;  ///< those that are kept (kept_headers())
  std::string request;
  int status = 0;  ///< 0: there was no response
  Headers response_headers;
  std::string response;
  Timestamp begun;
  std::int64_t first_byte = 0;  ///< microseconds from the request's first byte to the response's
  std::int64_t end = 0;         ///< … to the end
  Ending ending = Ending::complete;
  bool is_altered = false;  ///< a body contained the credential, which was taken out
  bool is_copy = false;     ///< not seen on the wire: the agent itself wrote the bodies

  bool operator==(const Exchange&) const = default;
};

/// Returns the header's value; empty if there is none. `name` in lower case.
std::string_view value_of(const Headers& headers, std::string_view name);

/// Leaves only headers that say what was asked and who answered: no credentials, cookies or
/// addresses. Names become lower case.
Headers kept_headers(const Headers& headers);

/// Returns everything but the bodies, as a line of JSON without its LF.
std::string describe(const Exchange& exchange);

/// Reads that line: an exchange without its bodies. Code::corrupt if it is malformed.
Result<Exchange> read_description(const std::string& line);

/// Parses the form in a file: that line and its LF, then the two bodies. Code::corrupt if it is cut
/// or malformed.
Result<Exchange> parse_exchange(std::string_view bytes);

}  // namespace spoor::proxy
