#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/session.h"
#include "llm/profile.h"

namespace spoor::cli {

/// The settings of a provider: one of the user's own (a section `[providers.NAME]` of the
/// configuration file, with `wire`, `base_url`, `key_variable` and `key_file`), else a known one. A
/// section with a known name changes only the settings it contains. Settings never come from a
/// store, so a copied store cannot redirect prompts.
struct ProviderSettings {
  llm::Profile profile;
  std::string key_file;  ///< empty: none
};

/// Returns the provider of this name; Code::not_found for an undefined name, Code::invalid for a
/// section that cannot be parsed.
Result<ProviderSettings> find_provider(Session& session, std::string_view name);

/// Returns every provider, sorted by name.
Result<std::vector<ProviderSettings>> all_providers(Session& session);

/// Returns the model to call: `given` (from `--model`), else the setting `model`. Returns
/// Code::not_found with a hint if neither is set.
Result<std::string> model_name(Session& session, const std::string& given);

/// Returns the setting `commit_reasoning`. Returns Code::invalid if it is neither true nor false.
Result<bool> commits_reasoning(Session& session);

}  // namespace spoor::cli
