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
  std::string next;                ///< the `page` for models_url(); empty: this is the last page

  bool operator==(const ModelPage&) const = default;
};

/// Parses a page of the list. Leaves out Gemini models that cannot generate. Code::unavailable if
/// `body` is not such a page.
Result<ModelPage> read_model_page(Wire wire, std::string_view body);

}  // namespace spoor::llm
