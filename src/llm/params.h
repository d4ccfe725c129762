#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/profile.h"

namespace spoor::llm {

/// Parameters of an answer, with one meaning for all providers.
struct Params {
  std::optional<std::int64_t> max_tokens;  ///< of the answer, including reasoning; at least 1
  std::string temperature;                 ///< a JSON number, sent unchanged; empty: none
  std::string effort;  ///< how much the model thinks (models/default_params.h); empty: its default
  std::string more;    ///< more members in the provider's form, a JSON object; they win
};

/// The body's members for some Params.
struct WrittenParams {
  std::string params;              ///< a canonical JSON object; empty if there are none
  std::vector<std::string> notes;  ///< what is not as wished, because the model does not take it
};

/// Returns the body's members for `params` in the provider's form. A temperature that `model` is
/// known to refuse is left out. Code::invalid if `temperature` is not a number, `effort` is unknown
/// or `more` is not an object.
Result<WrittenParams> write_params(const Profile& profile, std::string_view model,
                                   const Params& params);

}  // namespace spoor::llm
