#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/reader.h"
#include "base/timestamp.h"

namespace spoor::receive {

/// A log record of an agent that tells of one step of a session.
///
/// Sources: code.claude.com/docs/en/monitoring-usage (events of Claude Code);
/// github.com/openai/codex, codex-rs/otel (events of Codex); geminicli.com/docs/cli/telemetry
/// (events of Gemini CLI).
struct Event {
  std::string agent;    ///< as importers are called
  std::string name;     ///< `claude_code.api_request`
  std::string session;  ///< the agent's id; empty if it has none
  std::string request;  ///< the provider's id of the request
  std::string message;  ///< the id of the record in the agent's own file
  std::string call;     ///< the tool call
  std::string prompt;   ///< the id of the person's prompt
  std::optional<Timestamp> time;

  /// What the event says, as a JSON object without the names of persons: `event`, `time`, and its
  /// attributes. `facts` is the same without the texts that the turn has.
  std::string text;
  std::string facts;
};

/// Returns a time of OTLP, nanoseconds since 1970 as a number or its digits; nullopt: it is absent.
std::optional<std::int64_t> nanoseconds_of(const json::Value& time);

/// Returns the same in microseconds.
std::optional<Timestamp> moment_of(const json::Value& time);

/// Returns what a log record tells; nullopt if it is not an event of an agent that is known.
std::optional<Event> read_event(const json::Value& record);

}  // namespace spoor::receive
