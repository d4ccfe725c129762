#include "cli/redirect.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/toml_values.h"
#include "cli/files.h"
#include "import/agent_folders.h"

namespace spoor::cli {
namespace {

using import::AgentPath;
using import::AgentProvider;

constexpr std::size_t kMostSettings = 16U << 20U;

// A file of settings, and its texts by their dotted names.
class Settings {
 public:
  static Result<Settings> read(const AgentPath& where, const Environment& environment) {
    const auto variable = [&](const char* name) { return environment.variable(name); };
    const std::string path =
        import::path_of(where, environment.variable("HOME").value_or(""), variable);
    Settings settings;
    const auto text =
        path.empty() || path.ends_with('/') ? std::nullopt : TRY(read_file(path, kMostSettings));
    if (!text) return settings;
    if (path.ends_with(".toml")) {
      settings.toml_ = TRY(TomlValues(path, "mend it").parse(*text, kMostSettings));
      return settings;
    }
    // With comments, as agents allow them.
    settings.json_ = nlohmann::json::parse(*text, nullptr, false, true);
    if (!settings.json_.is_discarded()) return settings;
    return invalid(fmt::format("'{}' is not JSON", path), "mend it");
  }

  std::optional<std::string> text(std::string_view name) const {
    if (name.empty()) return std::nullopt;
    if (const auto text = toml_.at_path(name).value<std::string>()) return *text;
    const nlohmann::json* at = find(name);
    return at != nullptr && at->is_string() ? std::optional(at->get<std::string>()) : std::nullopt;
  }

  bool has(std::string_view name) const {
    const nlohmann::json* at = find(name);
    return at != nullptr && !at->is_null();
  }

 private:
  const nlohmann::json* find(std::string_view name) const {
    const nlohmann::json* at = &json_;
    while (true) {
      const std::string member(name.substr(0, name.find('.')));
      const auto found = at->is_object() ? at->find(member) : at->end();
      if (found == at->end()) return nullptr;
      at = &*found;
      if (member.size() == name.size()) return at;
      name.remove_prefix(member.size() + 1);
    }
  }

  toml::table toml_;
  nlohmann::json json_;
};

bool is_set(const Environment& environment, const char* name) {
  const auto value = name[0] == '\0' ? std::nullopt : environment.variable(name);
  return value && !value->empty();
}

}  // namespace

Result<Redirect> Redirect::make(const import::AgentRedirect& how, const Environment& environment) {
  Redirect made(how, environment);
  const Settings settings = TRY(Settings::read(how.settings, environment));
  const Settings accounts = TRY(Settings::read(how.accounts, environment));
  made.choice_ = settings.text(how.choice).value_or("");
  for (const AgentProvider& provider : how.providers) {
    const bool has_key = is_set(environment, provider.key_variable);
    if (provider.login_upstream.empty() && provider.key_variable[0] != '\0' && !has_key &&
        !accounts.has(provider.name)) {
      continue;
    }
    std::string upstream(provider.upstream);
    if (!how.login.empty() && !has_key && accounts.has(how.login)) {
      upstream = provider.login_upstream;
    }
    if (is_set(environment, provider.variable)) upstream = *environment.variable(provider.variable);
    if (made.choice_ == provider.name) made.choice_.clear();
    const std::string name =
        made.choice_.empty() ? std::string(provider.setting)
                             : replaced(std::string(how.chosen_setting), "{choice}", made.choice_);
    if (const auto set = settings.text(name)) {
      upstream = *set;
      made.is_in_settings_ = true;
    } else if (!made.choice_.empty()) {
      return invalid(fmt::format("the provider '{}' has no address in the settings", made.choice_),
                     "'spoor proxy --upstream URL' records what is sent to it");
    }
    made.routes_.push_back({"/" + std::string(provider.name), std::move(upstream)});
    made.providers_.push_back(&provider);
  }
  if (made.routes_.empty()) {
    return not_found("the agent has no key of a provider that spoor knows",
                     "'spoor proxy --upstream URL' records what is sent to another");
  }
  if (is_set(environment, how.variable)) {
    return conflict(fmt::format("{} is set already", how.variable), "unset it");
  }
  if (made.routes_.size() == 1) made.routes_.front().prefix.clear();
  TRY(proxy::Relay::check(made.routes_));
  return made;
}

Result<Redirected> Redirect::to(const std::string& address, const std::string& folder) const {
  Redirected redirected;
  std::string first;
  std::string all;
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const std::string own = address + routes_[i].prefix;
    if (i == 0) first = own;
    const std::string each = replaced(std::string(how_.each), "{name}", providers_[i]->name);
    all += (i == 0 ? "" : std::string(how_.between)) + replaced(each, "{address}", own);
    if (providers_[i]->variable[0] != '\0') {
      redirected.variables.emplace_back(providers_[i]->variable, own);
    }
  }
  std::string file;
  const auto filled = [&](std::string_view text) {
    std::string out = replaced(std::string(text), "{address}", first);
    out = replaced(out, "{choice}", choice_);
    out = replaced(out, "{file}", file);
    return replaced(out, "{all}", all);
  };
  if (!how_.file_name.empty()) {
    const std::string path = folder + "/" + std::string(how_.file_name);
    TRY(write_file(path, filled(how_.file), 0600));
    file = path;
  }
  if (how_.file_variable[0] != '\0' && !is_set(environment_, how_.file_variable)) {
    redirected.variables.emplace_back(how_.file_variable, file);
  }
  if (how_.variable[0] != '\0')
    redirected.variables.emplace_back(how_.variable, filled(how_.value));
  if (!how_.are_words_for_setting || is_in_settings_) {
    for (const std::string_view word : choice_.empty() ? how_.words : how_.chosen_words) {
      redirected.words.push_back(filled(word));
    }
  }
  return redirected;
}

}  // namespace spoor::cli
