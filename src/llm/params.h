#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "llm/profile.h"

namespace spoor::llm {

/// What steers an answer, in one meaning for all providers.
struct Params {
  std::optional<std::int64_t> max_tokens;  ///< of the answer, reasoning included; 1 or more
  std::string temperature;                 ///< a JSON number as it is to be sent; empty: none
  std::string more;  ///< members of the body in the provider's own words, a JSON object; they win
};

/// The members of the body that say so in a provider's words, a canonical JSON object; empty when
/// there are none. Code::invalid for what is no number or no object.
Result<std::string> write_params(const Profile& profile, const Params& params);

}  // namespace spoor::llm
