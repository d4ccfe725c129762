#pragma once

#include "base/json/reader.h"
#include "proxy/exchange.h"

namespace spoor::receive {

/// Returns true for a scope of an agent that writes its own session file, whose spans repeat that
/// file: no turns are made of them.
bool is_agent_scope(const json::Value& scope);

/// Returns true for such a span if it has a whole request, with its answer.
///
/// Source: github.com/google-gemini/gemini-cli, packages/core/src/telemetry (`llm_call`).
bool repeats_request(const json::Value& span);

/// Returns that request and its answer as the provider's API has them: a copy.
proxy::Exchange exchange_of(const json::Value& span);

}  // namespace spoor::receive
