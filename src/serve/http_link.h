#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sync/message.h"

namespace spoor::serve {

/// Where `spoor serve` answers, and as whom one asks there.
struct HttpAddress {
  std::string url;           ///< http or https; requests go to its path with `/sync`
  std::string token;         ///< sent as a bearer token (RFC 6750)
  std::string ca_file = {};  ///< llm::http::CurlOptions::ca_file
};

/// Returns an http or https address in the form that is kept: scheme and host in lower case, no
/// final slash. Code::invalid for others, Code::denied for one with a password.
Result<std::string> normal_url(const std::string& url);

/// Makes a link over HTTP/1.1, with TLS for an https address (llm/http/byte_stream.h). A connection
/// is made when it is needed, and again if the server has closed it between two requests.
///
/// Code::denied if the token would go to another machine without TLS. The error of ask() is
/// Code::denied if the server does not accept the token.
Result<std::unique_ptr<sync::Link>> http_link(HttpAddress address,
                                              std::function<bool()> is_cancelled = {});

}  // namespace spoor::serve
