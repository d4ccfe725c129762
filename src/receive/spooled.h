#pragma once

#include <optional>
#include <string>

#include "proxy/spool.h"
#include "receive/otlp.h"

namespace spoor::receive {

/// Puts what is kept of a post into a spool.
Result<void> put(const proxy::Spool& spool, Signal signal, std::string document);

/// Returns what a file of such a spool contains; nullopt if it is of another kind.
std::optional<Signal> signal_of(const proxy::Exchange& exchange);

}  // namespace spoor::receive
