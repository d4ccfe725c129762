#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/planner.h"

namespace spoor::agent::planners {

/// A run's models, ready to be asked: parameters and tools as each wire takes them.
struct Models {
  std::vector<llm::Candidate> plain;       ///< who is asked, and who when that fails
  std::vector<llm::Candidate> with_tools;  ///< the same with the tools, where calls are native
  /// Tools as they are called on the wire, which knows no dots, and their ids.
  std::vector<std::pair<std::string, std::string>> names;

  /// The id of a name on the wire; the name itself where none is known.
  std::string id_of(std::string_view called_as) const;
};

/// Code::invalid for parameters that are none.
Result<Models> prepare_models(const llm::Candidate& llm, const Catalogue& catalogue,
                              const RunOptions& options, Calling calling);

/// What `automatic` comes to with a provider: native calls, but for servers where it depends on the
/// model whether there are any.
Calling calling_of(Calling calling, const llm::Profile& profile);

}  // namespace spoor::agent::planners
