#include "cli/models/model_settings.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace spoor::cli {
namespace {

constexpr std::string_view kSection = "providers.";

// The parts of `providers.NAME.key`; nullopt for any other key.
struct OwnKey {
  std::string_view provider;
  std::string_view key;
};

std::optional<OwnKey> own_key(std::string_view name) {
  if (!name.starts_with(kSection)) return std::nullopt;
  name.remove_prefix(kSection.size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  return OwnKey{name.substr(0, dot), name.substr(dot + 1)};
}

Result<void> apply(std::string_view key, const std::string& value, ProviderSettings& settings) {
  llm::Profile& profile = settings.profile;
  if (key == "wire") {
    const auto wire = llm::wire_from(value);
    if (!wire) {
      return invalid(fmt::format("unknown wire format '{}'", value),
                     "use openai-chat, openai-responses, anthropic, gemini or ollama");
    }
    profile.wire = *wire;
  } else if (key == "base_url") {
    profile.base_url = value;
    while (profile.base_url.ends_with('/')) profile.base_url.pop_back();
  } else if (key == "key_variable") {
    profile.key_variable = value;
    profile.needs_key = !value.empty();
  } else if (key == "key_file") {
    settings.key_file = value;
  } else {
    return invalid(fmt::format("unknown provider setting '{}'", key),
                   "the settings are wire, base_url, key_variable and key_file");
  }
  return {};
}

}  // namespace

Result<ProviderSettings> find_provider(Session& session, std::string_view name) {
  ProviderSettings settings;
  const auto& known = llm::known_profiles();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const llm::Profile& one) { return one.name == name; });
  if (found != known.end()) settings.profile = *found;
  bool is_own = false;
  for (const auto& [key, value] : TRY(session.config().file_values(kSection))) {
    const auto own = own_key(key);
    if (!own || own->provider != name) continue;
    if (!std::exchange(is_own, true) && found == known.end()) settings.profile.needs_key = false;
    TRY(apply(own->key, value, settings));
  }
  if (found == known.end() && !is_own) return llm::find_profile(name).error();
  settings.profile.name = name;
  if (settings.profile.base_url.empty()) {
    return invalid(
        fmt::format("the provider '{}' has no base_url", name),
        fmt::format("set it under [providers.{}] in {}", name, session.config().file_name()));
  }
  return settings;
}

Result<std::vector<ProviderSettings>> all_providers(Session& session) {
  std::set<std::string, std::less<>> names;
  for (const llm::Profile& profile : llm::known_profiles()) names.insert(profile.name);
  for (const auto& [key, value] : TRY(session.config().file_values(kSection))) {
    if (const auto own = own_key(key)) names.emplace(own->provider);
  }
  std::vector<ProviderSettings> all;
  all.reserve(names.size());
  for (const std::string& name : names) all.push_back(TRY(find_provider(session, name)));
  return all;
}

Result<std::string> model_name(Session& session, const std::string& given) {
  if (!given.empty()) return given;
  std::string configured = TRY(session.config().get("model")).text;
  if (configured.empty()) {
    return not_found(
        "no model is chosen",
        "add --model PROVIDER/MODEL, or set it with 'spoor config model PROVIDER/MODEL'");
  }
  return configured;
}

Result<bool> commits_reasoning(Session& session) {
  const std::string text = TRY(session.config().get("commit_reasoning")).text;
  if (text.empty() || text == "true") return true;
  if (text == "false") return false;
  return invalid(fmt::format("the setting 'commit_reasoning' is '{}'", text),
                 "spoor config commit_reasoning true");
}

}  // namespace spoor::cli
