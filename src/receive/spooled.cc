#include "receive/spooled.h"

#include <utility>

namespace spoor::receive {

Result<void> put(const proxy::Spool& spool, Signal signal, std::string document) {
  proxy::Exchange exchange;
  exchange.method = "POST";
  exchange.target = signal == Signal::traces ? "/v1/traces" : "/v1/logs";
  exchange.request = std::move(document);
  exchange.begun = SystemClock().now();
  return spool.put(exchange);
}

std::optional<Signal> signal_of(const proxy::Exchange& exchange) {
  if (exchange.target == "/v1/traces") return Signal::traces;
  if (exchange.target == "/v1/logs") return Signal::logs;
  return std::nullopt;
}

}  // namespace spoor::receive
