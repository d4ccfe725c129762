#pragma once

#include <memory>
#include <string>
#include <vector>

#include "llm/http/curl_transport.h"
#include "proxy/relay.h"
#include "proxy/server.h"
#include "proxy/spool.h"

namespace spoor::proxy {

/// Returns a Relay whose exchanges go into `spool`, without credentials, on a thread of its own:
/// the disk may be slow. `agent` is RelayOptions::agent. Errors are those of Relay::check().
Result<std::unique_ptr<Server>> make_spooling_relay(int socket, std::vector<Route> routes,
                                                    std::string agent, const Spool& spool,
                                                    llm::http::CurlOptions curl = {});

}  // namespace spoor::proxy
