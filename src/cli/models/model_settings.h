#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/session.h"
#include "llm/profile.h"

namespace spoor::cli {

/// The provider of this name: one of the user's own (a section `[providers.NAME]` of the
/// configuration file, with `wire`, `base_url`, `key_variable` and `key_file`), else one that is
/// known. A section of a known name changes what it names and leaves the rest. Never from a store:
/// one that was copied from elsewhere sends nobody's prompts anywhere.
struct ProviderSettings {
  llm::Profile profile;
  std::string key_file;  ///< empty: none
};

/// Code::not_found for a name that nothing defines, Code::invalid for a section that is not
/// understood.
Result<ProviderSettings> find_provider(Session& session, std::string_view name);

/// Every provider there is, sorted by name.
Result<std::vector<ProviderSettings>> all_providers(Session& session);

/// The model to ask: `given` (from `--model`), else the setting `model`. Code::not_found, with what
/// to do, when neither names one.
Result<std::string> model_name(Session& session, const std::string& given);

/// The setting `commit_reasoning`. Code::invalid when it is neither true nor false.
Result<bool> commits_reasoning(Session& session);

}  // namespace spoor::cli
