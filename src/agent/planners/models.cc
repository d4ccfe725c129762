#include "agent/planners/models.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "llm/params.h"
#include "llm/tool_spec.h"

namespace spoor::agent::planners {
namespace {

// All providers allow letters, digits, `_` and `-` in function names.
std::vector<std::pair<std::string, std::string>> wire_names(const Catalogue& catalogue) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Catalogue::Entry& entry : catalogue.entries) {
    std::string name = entry.id;
    std::replace(name.begin(), name.end(), '.', '_');
    const std::string plain = name;
    const auto is_taken = [&](const auto& other) { return other.first == name; };
    for (int n = 2; std::any_of(names.begin(), names.end(), is_taken); ++n) {
      name = fmt::format("{}_{}", plain, n);
    }
    names.emplace_back(name, entry.id);
  }
  return names;
}

Result<llm::Candidate> with_params(llm::Candidate candidate, const RunOptions& options,
                                   std::vector<std::string>& notes) {
  llm::Params params;
  if (options.max_tokens_per_call > 0) params.max_tokens = options.max_tokens_per_call;
  params.temperature = options.temperature;
  params.effort = options.effort;
  params.more = candidate.params;
  llm::WrittenParams written =
      TRY(llm::write_params(candidate.provider->profile(), candidate.model, params));
  candidate.params = std::move(written.params);
  std::move(written.notes.begin(), written.notes.end(), std::back_inserter(notes));
  candidate.tools.clear();
  return candidate;
}

}  // namespace

std::string Models::id_of(std::string_view called_as) const {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const auto& name) { return name.first == called_as; });
  return found == names.end() ? std::string(called_as) : found->second;
}

Calling calling_of(Calling calling, const llm::Profile& profile) {
  if (calling != Calling::automatic) return calling;
  return profile.wire == llm::Wire::ollama ? Calling::json : Calling::native;
}

Result<Models> prepare_models(const llm::Candidate& llm, const Catalogue& catalogue,
                              const RunOptions& options, Calling calling) {
  Models models;
  models.names = wire_names(catalogue);
  std::vector<llm::ToolSpec> specs;
  for (std::size_t i = 0; i < catalogue.entries.size(); ++i) {
    const Tool* tool = catalogue.entries[i].tool;
    if (tool == nullptr) continue;
    specs.push_back({models.names[i].first, tool->description, tool->parameters});
  }
  std::vector<llm::Candidate> asked = {llm};
  asked.insert(asked.end(), options.fallbacks.begin(), options.fallbacks.end());
  for (const llm::Candidate& one : asked) {
    if (one.provider == nullptr) return invalid("no provider given");
    const llm::Candidate plain = TRY(with_params(one, options, models.notes));
    models.plain.push_back(plain);
    models.with_tools.push_back(plain);
    if (calling == Calling::native && !specs.empty()) {
      models.with_tools.back().tools = TRY(llm::tools_json(one.provider->profile().wire, specs));
    }
  }
  return models;
}

}  // namespace spoor::agent::planners
