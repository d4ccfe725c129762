#pragma once

#include <netinet/in.h>

#include <string_view>

#include "base/result.h"

namespace spoor::proxy {

/// Parses `127.0.0.1:PORT`; port 0: any that is free. Code::invalid for another form, Code::denied
/// for an address that other machines can reach.
Result<sockaddr_in> read_listener(std::string_view text);

/// Returns whether a request with these headers comes from a program on this machine: the `Host` is
/// 127.0.0.1, localhost or [::1], with any port, and so is the `Origin`, if it is not empty. Any
/// other host is a name that some page gave this machine (DNS rebinding).
bool may_ask(std::string_view host, std::string_view origin);

}  // namespace spoor::proxy
