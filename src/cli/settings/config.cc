#include "cli/settings/config.h"

#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "base/near_miss.h"

namespace spoor::cli {
namespace {

constexpr const char* kSeconds = "SECONDS";
constexpr const char* kMebibytes = "MIB";

constexpr std::array kKeys = {
    ConfigKey{"author", "the author of turns written by hand (default: the login name)",
              "SPOOR_AUTHOR", true},
    ConfigKey{"capture", "how much of what is said is kept: full (default), redacted or hashed",
              "SPOOR_CAPTURE", true},
    ConfigKey{"capture.fields", "less of some parts: raw=hashed,arguments=redacted (docs/audit.md)",
              "SPOOR_CAPTURE_FIELDS", true},
    ConfigKey{"capture.full-in-prod",
              "true: this store may be written in full where 'environment' is prod", "", true,
              "true false"},
    ConfigKey{"color", "colour the output: auto, always or never", "", false, "auto always never"},
    ConfigKey{"commit_reasoning", "keep the reasoning of models' replies: true (default) or false",
              "", true, "true false"},
    ConfigKey{"environment", "where this runs: local, ci, staging or prod", "SPOOR_ENVIRONMENT",
              false, "local ci staging prod"},
    ConfigKey{"keys.directory", "where the keys of private stores lie", "SPOOR_KEYS", false, "",
              true},
    ConfigKey{"max-text",
              "MiB that one text, or one prompt, of a store may take in memory (default: 256)",
              "SPOOR_MAX_TEXT", false, kMebibytes},
    ConfigKey{"model",
              "PROVIDER/MODEL one talks to: a line of the interactive session is then said to it",
              "SPOOR_MODEL", false},
    ConfigKey{"pager", "the command long output goes through; empty or 'cat' for none",
              "SPOOR_PAGER", false},
    ConfigKey{"patience",
              "seconds that a command waits for another that writes the store (default: 60)",
              "SPOOR_PATIENCE", false, kSeconds},
    ConfigKey{"redaction.rules", "a file of your own rules for redaction (docs/audit.md)",
              "SPOOR_REDACTION_RULES", false, "", true},
};

}  // namespace

std::span<const ConfigKey> config_keys() { return kKeys; }

Result<void> check_setting(const ConfigKey& key, const std::string& value) {
  const std::string_view values = key.values;
  if (values.empty()) return {};
  if (values == kSeconds || values == kMebibytes) {
    constexpr int kMost = 1'000'000;
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = error == std::errc() && end == value.data() + value.size();
    const int least = values == kSeconds ? 0 : 1;
    if (is_number && number >= least && number <= kMost) return {};
    const char* what = values == kSeconds ? "seconds, such as 60" : "MiB, such as 256";
    return invalid(fmt::format("'{}' cannot be '{}'", key.name, value),
                   fmt::format("'{}' is a number of {}", key.name, what));
  }
  std::string all;
  for (std::size_t at = 0; at <= values.size();) {
    const std::size_t end = std::min(values.find(' ', at), values.size());
    const std::string_view each = values.substr(at, end - at);
    if (each == value) return {};
    all += fmt::format("{}{}", all.empty() ? "" : end == values.size() ? " or " : ", ", each);
    at = end + 1;
  }
  return invalid(fmt::format("'{}' cannot be '{}'", key.name, value),
                 fmt::format("'{}' is {}", key.name, all));
}

Result<const ConfigKey*> find_config_key(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ConfigKey& key : kKeys) {
    if (name == key.name) return &key;
    names.emplace_back(key.name);
  }
  const std::string near = near_miss(name, names);
  return not_found(
      fmt::format("there is no setting '{}'", name),
      near.empty() ? "list them with 'spoor config'" : fmt::format("did you mean '{}'?", near));
}

Result<Config::Value> Config::get(std::string_view name) {
  const ConfigKey& key = *TRY(find_config_key(name));
  Value value = TRY(read(key, name));
  if (key.is_path) value.text = expand_home(environment_, std::move(value.text));
  return value;
}

Result<Config::Value> Config::read(const ConfigKey& key, std::string_view name) {
  if (const auto found = chosen_.find(name); found != chosen_.end()) {
    return Value{found->second, "chosen"};
  }
  if (key.variable[0] != '\0') {
    if (auto value = environment_.variable(key.variable)) return Value{*value, "environment"};
  }
  if (key.in_store && store_) {
    if (auto value = store_(name)) return Value{*value, "store"};
  }
  TRY(load());
  if (file_->broken && !is_lenient_) return unread(name);
  const auto wrong = file_->wrong.find(name);
  if (wrong != file_->wrong.end() && !is_lenient_) return wrong->second;
  if (const auto found = file_->values.find(name); found != file_->values.end()) {
    return Value{found->second, "file"};
  }
  return Value{"", "default"};
}

Result<ConfigValues> Config::file_values(std::string_view prefix) {
  TRY(load());
  if (file_->broken && !is_lenient_) return unread(prefix.substr(0, prefix.find('.')));
  const auto wrong = file_->wrong.lower_bound(prefix);
  const bool is_wrong = wrong != file_->wrong.end() && wrong->first.starts_with(prefix);
  if (is_wrong && !is_lenient_) return wrong->second;
  ConfigValues values;
  for (auto at = file_->values.lower_bound(prefix); at != file_->values.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    values.insert(*at);
  }
  return values;
}

Result<void> Config::set(std::string_view key, const std::optional<std::string>& value) {
  const std::string file = file_name();
  if (file.empty()) {
    return not_found("there is no place for a configuration file", "set HOME or XDG_CONFIG_HOME");
  }
  const std::string text = TRY(read_file(file)).value_or("");
  const std::string edited = TRY(edited_config(text, file, key, value));
  TRY(write_file(file, edited, 0644));
  file_.reset();
  return {};
}

Result<std::optional<Error>> Config::problem() {
  TRY(load());
  return file_->broken;
}

Error Config::unread(std::string_view name) const {
  Error error = *file_->broken;
  error.message = fmt::format("cannot read the setting '{}': {}", name, error.message);
  return error;
}

std::string Config::file_name() const {
  const std::string folder = config_home(environment_);
  return folder.empty() ? folder : folder + "/config.toml";
}

Result<void> Config::load() {
  if (file_) return {};
  const std::string file = file_name();
  std::string text;
  if (!file.empty()) text = TRY(read_file(file)).value_or("");
  file_ = read_config(text, file);
  return {};
}

}  // namespace spoor::cli
