#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/profile.h"

namespace spoor::llm {

/// One page of a provider's list of models.
struct ModelPage {
  std::vector<std::string> names;  ///< as Request::model takes them, in the provider's order
  std::string next;                ///< for models_url(); empty: this is the last

  bool operator==(const ModelPage&) const = default;
};

/// Reads a page. Of Gemini's models those that cannot generate are left out.
/// Code::unavailable when it is none.
Result<ModelPage> read_model_page(Wire wire, std::string_view body);

}  // namespace spoor::llm
