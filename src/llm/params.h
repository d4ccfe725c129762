#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "llm/profile.h"

namespace spoor::llm {

/// Parameters of an answer, with one meaning for all providers.
struct Params {
  std::optional<std::int64_t> max_tokens;  ///< of the answer, including reasoning; at least 1
  std::string temperature;                 ///< a JSON number, sent unchanged; empty: none
  std::string more;  ///< more members in the provider's form, a JSON object; they win
};

/// Returns the body's members for `params` in the provider's form, a canonical JSON object; empty
/// if there are none. Code::invalid if `temperature` is not a number or `more` is not an object.
Result<std::string> write_params(const Profile& profile, const Params& params);

}  // namespace spoor::llm
