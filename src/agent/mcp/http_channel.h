#pragma once

#include <memory>
#include <string>

#include "agent/mcp/channel.h"
#include "llm/http/transport.h"

namespace spoor::agent::mcp {

/// The address of a server, and what goes with each request.
struct ServerAddress {
  std::string url;
  llm::http::Headers headers;  ///< may contain a key; never part of an error
};

/// Speaks with a server over HTTP: a message a POST, the answer as JSON or as a stream of events.
/// Sources: Streamable HTTP of revision 2026-07-28; Transports, "Streamable HTTP", of 2025-11-25,
/// whose session ids are kept and given up at the end. Redirects are not followed. Answers above
/// kMostMessage are refused. `transport` must outlive the channel.
///
/// An HTTP status other than 2xx is Code::unavailable, Code::denied for 401 and 403, unless the
/// body is a JSON-RPC error, which is an answer.
std::unique_ptr<Channel> make_http_channel(ServerAddress address, llm::http::Transport& transport,
                                           Listener listener);

/// Encodes a value for the headers Mcp-Name and Mcp-Param-… (Streamable HTTP, "Value Encoding").
std::string header_value(const std::string& value);

}  // namespace spoor::agent::mcp
