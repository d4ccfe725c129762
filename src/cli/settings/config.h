#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "cli/error.h"
#include "cli/settings/config_file.h"

namespace spoor::cli {

/// A setting of the program.
struct ConfigKey {
  const char* name;      ///< "author", "keys.directory"
  const char* help;      ///< one line
  const char* variable;  ///< the environment variable that overrides it, or ""
  /// True if a store may set it. False for settings that start a program or name a place on this
  /// machine, since a store may come from elsewhere.
  bool in_store;
  const char* values = "";  ///< the allowed values, separated by blanks; "": any text
  bool is_path = false;     ///< `~` at its start is the user's home
};

std::span<const ConfigKey> config_keys();

/// Returns the setting of this name, or Code::not_found with a suggestion.
Result<const ConfigKey*> find_config_key(std::string_view name);

/// Returns Code::invalid with the allowed values if `key` cannot have this value.
Result<void> check_setting(const ConfigKey& key, const std::string& value);

/// Settings from environment > store > file > built in. Flags override all of these and belong to
/// the command. The file is read at the first request.
class Config {
 public:
  explicit Config(const Environment& environment) : environment_(environment) {}

  /// Sets the function that reads the store's settings, as Store::local does.
  void ask_store(std::function<std::optional<std::string>(std::string_view key)> ask) {
    store_ = std::move(ask);
  }

  struct Value {
    std::string text;
    std::string origin;  ///< "chosen", "environment", "store", "file" or "default"
  };

  /// Returns the value in force; an empty text if it is not set. Code::invalid if the file is
  /// needed and is not TOML, or if the setting has a value of another type there; Code::io if the
  /// file cannot be read.
  Result<Value> get(std::string_view key);

  /// From now on ignores a file that is not TOML and invalid values: for commands that change
  /// settings, and for those that write nothing that depends on them.
  void pass_over_wrong() { is_lenient_ = true; }
  bool is_lenient() const { return is_lenient_; }

  /// Returns the values in the user's own file whose names begin with `prefix`, for sections that
  /// are not in the table of settings, such as `[providers.NAME]`. Never reads a store.
  Result<ConfigValues> file_values(std::string_view prefix);

  /// Overrides all other values, for the rest of the process.
  void choose(std::string_view key, std::string value) {
    chosen_[std::string(key)] = std::move(value);
  }

  /// Returns why the file is not TOML; nullopt if it is. Code::io if it cannot be read.
  Result<std::optional<Error>> problem();

  /// Writes the user's file; creates it and its folder if needed. See edited_config() for what
  /// changes in it, and when nothing is written.
  Result<void> set(std::string_view key, const std::optional<std::string>& value);

  /// Returns the path of the user's file, which need not exist; empty without a home.
  std::string file_name() const;

 private:
  Result<void> load();
  Result<Value> read(const ConfigKey& key, std::string_view name);
  Error unread(std::string_view name) const;

  const Environment& environment_;
  std::function<std::optional<std::string>(std::string_view)> store_;
  std::optional<ConfigFile> file_;
  bool is_lenient_ = false;
  ConfigValues chosen_;
};

}  // namespace spoor::cli
