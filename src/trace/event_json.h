#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/event.h"

// Names for the values of an event, and its JSON.
namespace spoor::trace {

std::string_view name_of(Content::Mode mode);
std::string_view name_of(EventSession::Environment environment);
std::string_view name_of(Constraint::Type type);
std::string_view name_of(Transformation::Type type);
std::string_view name_of(Artifact::Type type);
std::string_view name_of(AgentAction::Type type);
std::string_view name_of(Severity severity);
std::string_view name_of(CheckStatus status);

/// Return the values of these words; nullopt for an unknown word.
std::optional<EventSession::Environment> environment_from(std::string_view word);
std::optional<Constraint::Type> constraint_type_from(std::string_view word);
std::optional<AgentAction::Type> action_type_from(std::string_view word);
std::optional<Severity> severity_from(std::string_view word);
std::optional<CheckStatus> status_from(std::string_view word);

/// Returns an event in the form of docs/schema/decision-event-0.2.json: one line without its end,
/// canonical by RFC 8785 (sorted keys, no white space, numbers as in ECMAScript). Equal events have
/// equal bytes.
///
/// A content is a string in mode full, else an object with `mode`. An unknown word is `unknown`, an
/// unknown number null. `prompt_bundle` is written for completions; for other events it is null,
/// and it is `unknown` if `prompt_bundle_hash` is.
std::string to_json(const DecisionEvent& event);

/// Returns only the prompt bundle, canonical by RFC 8785: the input of its hash.
std::string to_json(const PromptBundle& bundle);

/// Returns only a content, as it is in an event.
std::string to_json(const Content& content);

/// Returns the SHA-256 of to_json(bundle), 64 digits.
std::string hash_of(const PromptBundle& bundle);

}  // namespace spoor::trace
