#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/event.h"

namespace spoor::report {

using trace::DecisionEvent;

/// How much of an event must be known: of an agent whose inside is there to be looked at, or of one
/// of which only what went in and out is.
enum class Profile { white_box, black_box };

std::string_view name_of(Profile profile);  ///< `white-box`, `black-box`
std::optional<Profile> profile_from(std::string_view name);

/// The members of an event that a profile requires and that are unknown, as JSON pointers without
/// their first stroke, in the order of this list:
///
///   both       timestamp, request/user_request_raw, model_output/output_raw (of completions),
///              agent_action/tool_results (of actions) with their outputs
///   white-box  session/session_id, session/agent_id, prompt_provenance/provider,
///              prompt_provenance/model, prompt_provenance/prompt_bundle_hash,
///              model_output/usage/input_tokens and …/output_tokens (of completions)
std::vector<std::string> missing_of(const DecisionEvent& event, Profile profile);

}  // namespace spoor::report
