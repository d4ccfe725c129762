#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/event.h"

// The words by which the values of an event are written, and its JSON.
namespace spoor::trace {

std::string_view name_of(Content::Mode mode);
std::string_view name_of(EventSession::Environment environment);
std::string_view name_of(Constraint::Type type);
std::string_view name_of(Transformation::Type type);
std::string_view name_of(Artifact::Type type);
std::string_view name_of(AgentAction::Type type);
std::string_view name_of(Severity severity);
std::string_view name_of(CheckStatus status);

/// The values of these words; nullopt for a word that is none.
std::optional<EventSession::Environment> environment_from(std::string_view word);
std::optional<Constraint::Type> constraint_type_from(std::string_view word);
std::optional<AgentAction::Type> action_type_from(std::string_view word);
std::optional<Severity> severity_from(std::string_view word);
std::optional<CheckStatus> status_from(std::string_view word);

/// An event as docs/schema/decision-event-0.2.json has it: one line without its end, canonical by
/// RFC 8785 (sorted keys, no white space, numbers of ECMAScript). Equal events have equal bytes.
///
/// A content is a string in mode full, else an object with `mode`. A word that the source does not
/// tell is `unknown`, a number null. `prompt_bundle` stands in completions; elsewhere it is null,
/// and `unknown` where `prompt_bundle_hash` is.
std::string to_json(const DecisionEvent& event);

/// The prompt bundle alone, canonical by RFC 8785: what its hash is over.
std::string to_json(const PromptBundle& bundle);

/// A content alone, as it stands in an event.
std::string to_json(const Content& content);

/// SHA-256 over to_json(bundle), 64 digits.
std::string hash_of(const PromptBundle& bundle);

}  // namespace spoor::trace
