#include "cli/recording/redirect.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "base/toml_values.h"
#include "import/agent_folders.h"

namespace spoor::cli {
namespace {

using import::AgentPath;
using import::AgentProvider;

constexpr std::size_t kMostSettings = 16U << 20U;

// Reads `NAME=VALUE` lines, as agents do (github.com/motdotla/dotenv).
nlohmann::json read_dotenv(std::string_view text) {
  nlohmann::json values = nlohmann::json::object();
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, length));
    text.remove_prefix(std::min(text.size(), length + 1));
    constexpr std::string_view kExport = "export ";
    if (line.starts_with(kExport)) line.remove_prefix(kExport.size());
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    std::string_view value = trimmed(line.substr(equals + 1));
    const char quote = value.empty() ? '\0' : value.front();
    const bool is_quoted = quote == '"' || quote == '\'' || quote == '`';
    const std::size_t end = is_quoted ? value.find(quote, 1) : value.find('#');
    value = is_quoted ? value.substr(1, end - 1) : trimmed(value.substr(0, end));
    values[std::string(trimmed(line.substr(0, equals)))] = value;
  }
  return values;
}

// A file of settings, and its texts by their dotted names.
class Settings {
 public:
  // nullopt: it is not there.
  static Result<std::optional<Settings>> read(const std::string& path) {
    Settings settings;
    const auto text =
        path.empty() || path.ends_with('/') ? std::nullopt : TRY(read_file(path, kMostSettings));
    if (!text) return std::optional<Settings>();
    settings.is_dotenv_ = path.ends_with(".env");
    if (settings.is_dotenv_) {
      settings.json_ = read_dotenv(*text);
      return std::optional(std::move(settings));
    }
    if (path.ends_with(".toml")) {
      settings.toml_ = TRY(TomlValues(path, "mend it").parse(*text, kMostSettings));
      return std::optional(std::move(settings));
    }
    // With comments, as agents allow them.
    settings.json_ = nlohmann::json::parse(*text, nullptr, false, true);
    if (!settings.json_.is_discarded()) return std::optional(std::move(settings));
    return invalid(fmt::format("'{}' is not JSON", path), "mend it");
  }

  bool is_dotenv() const { return is_dotenv_; }

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
  bool is_dotenv_ = false;
};

std::string user_path(const AgentPath& where, const Environment& environment) {
  const auto variable = [&](const char* name) { return environment.variable(name); };
  if (where.variable[0] == '\0' && where.in_home[0] == '\0') return {};
  return import::path_of(where, environment.variable("HOME").value_or(""), variable);
}

// Returns the nearest file with one of the names; of one folder, that of the first.
std::string nearest(std::string_view names, std::filesystem::path folder) {
  while (!folder.empty()) {
    for (std::string_view rest = names; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find('|'));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      std::error_code error;
      if (std::filesystem::is_regular_file(folder / name, error)) return (folder / name).string();
    }
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return {};
}

// All files of settings that are there; what an earlier one says counts.
class AllSettings {
 public:
  static Result<AllSettings> read(std::span<const import::AgentSettings> places,
                                  const Environment& environment) {
    AllSettings all;
    const std::filesystem::path folder = environment.directory();
    bool has_dotenv = false;
    for (const import::AgentSettings& place : places) {
      std::string path = user_path(place.user, environment);
      if (!place.in_folder.empty()) path = (folder / place.in_folder).string();
      if (!place.in_parents.empty()) path = nearest(place.in_parents, folder);
      auto settings = TRY(Settings::read(path));
      if (!settings || (settings->is_dotenv() && std::exchange(has_dotenv, true))) continue;
      all.files_.push_back(std::move(*settings));
    }
    return all;
  }

  std::optional<std::string> text(std::string_view name) const {
    for (const Settings& each : files_) {
      if (auto text = each.text(name)) return text;
    }
    return std::nullopt;
  }

 private:
  std::vector<Settings> files_;
};

bool is_set(const Environment& environment, const char* name) {
  const auto value = name[0] == '\0' ? std::nullopt : environment.variable(name);
  return value && !value->empty();
}

// Ollama's own variable may lack the scheme and the port, and name all addresses of the machine
// (https://docs.ollama.com/faq).
std::string ollama_address(std::string value) {
  if (value.find("://") != std::string::npos) return value;
  const std::size_t colon = value.rfind(':');
  std::string host = value.substr(0, colon);
  if (host.empty() || host == "0.0.0.0") host = "127.0.0.1";
  return "http://" + host + (colon == std::string::npos ? ":11434" : value.substr(colon));
}

// A proxy of the environment is asked by spoor's, not by the agent.
void add_exceptions(const Environment& environment,
                    std::vector<std::pair<std::string, std::string>>& variables) {
  constexpr std::array kProxies = {"HTTP_PROXY",  "http_proxy", "HTTPS_PROXY",
                                   "https_proxy", "ALL_PROXY",  "all_proxy"};
  constexpr std::array kExceptions = {"NO_PROXY", "no_proxy"};
  const auto has = [&](const char* name) { return is_set(environment, name); };
  if (std::ranges::none_of(kProxies, has)) return;
  const auto known = std::ranges::find_if(kExceptions, has);
  const std::string others = known == kExceptions.end() ? "" : *environment.variable(*known) + ",";
  for (const char* each : kExceptions) {
    const std::string before = has(each) ? *environment.variable(each) + "," : others;
    variables.emplace_back(each, before + "127.0.0.1");
  }
}

}  // namespace

Result<Redirect> Redirect::make(const import::AgentRedirect& how, const Environment& environment) {
  Redirect made(how, environment);
  const AllSettings settings = TRY(AllSettings::read(how.settings, environment));
  const Settings accounts =
      TRY(Settings::read(user_path(how.accounts, environment))).value_or(Settings());
  made.choice_ = settings.text(how.choice).value_or("");
  for (const AgentProvider& provider : how.providers) {
    const bool has_key = is_set(environment, provider.key_variable);
    if (provider.login_upstream.empty() && provider.key_variable[0] != '\0' && !has_key &&
        !accounts.has(provider.name) && !settings.text(provider.setting)) {
      continue;
    }
    std::string upstream(provider.upstream);
    if (!how.login.empty() && !has_key && accounts.has(how.login)) {
      upstream = provider.login_upstream;
    }
    if (const auto set = settings.text(provider.variable)) upstream = *set;
    if (is_set(environment, provider.variable)) upstream = *environment.variable(provider.variable);
    if (provider.name == "ollama") upstream = ollama_address(std::move(upstream));
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
    // The value of an agent's own variable counts more than those of its providers.
    if (providers_[i]->variable[0] != '\0' && how_.variable[0] == '\0') {
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
  add_exceptions(environment_, redirected.variables);
  return redirected;
}

}  // namespace spoor::cli
