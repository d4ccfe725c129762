#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/planner.h"

namespace spoor::agent::planners {

/// A run's models, with parameters and tools in each provider's format.
struct Models {
  std::vector<llm::Candidate> plain;       ///< the model to ask, then its fallbacks
  std::vector<llm::Candidate> with_tools;  ///< the same with the tools, where calls are native
  /// The tools' names in requests, which allow no dots, and their ids.
  std::vector<std::pair<std::string, std::string>> names;

  std::vector<std::string> notes;  ///< wishes that a model does not take

  /// Returns the id of a name in a request; the name itself if it is unknown.
  std::string id_of(std::string_view called_as) const;
};

/// Returns Code::invalid for malformed parameters, or if there is no provider.
Result<Models> prepare_models(const llm::Candidate& llm, const Catalogue& catalogue,
                              const RunOptions& options, Calling calling);

/// Resolves `automatic` for a provider: native calls, except for servers where the model decides
/// whether there are any.
Calling calling_of(Calling calling, const llm::Profile& profile);

}  // namespace spoor::agent::planners
