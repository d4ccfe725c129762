#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "llm/profile.h"

namespace spoor::llm {

/// Returns the members of a request's body that its caller did not give in `given`, a JSON object:
/// what this program needs (stateless Responses), what the provider demands (Anthropic's
/// `max_tokens`: as many as the model can write), its prompt cache, and the request to show the
/// thinking of a model that has some. A canonical JSON object. Code::invalid if `given` is none.
Result<std::string> default_params(const Profile& profile, std::string_view model,
                                   std::string_view given);

/// Returns Anthropic's `budget_tokens`, the part of an answer of at most `max_tokens` that may be
/// thinking: `wanted`, but at most half of the answer. Nullopt if that is less than the provider
/// takes.
std::optional<std::int64_t> thinking_budget(std::int64_t wanted, std::int64_t max_tokens);

/// The members that ask for an effort.
struct EffortParams {
  std::string params;  ///< a canonical JSON object
  std::string note;    ///< what the model takes instead of the wish; empty: the wish
};

/// Returns the members of a request that ask `model` for an effort: `none` (no thinking),
/// `minimal`, `low`, `medium`, `high`, `xhigh` or `max`; Code::invalid for other words. A model
/// that does not take the level gets the nearest lower one, or its lowest.
Result<EffortParams> effort_params(const Profile& profile, std::string_view model,
                                   std::string_view effort);

}  // namespace spoor::llm
