#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"
#include "cli/error.h"

namespace spoor::cli {

/// A setting the program knows.
struct ConfigKey {
  const char* name;      ///< "author", "keys.directory"
  const char* help;      ///< one line
  const char* variable;  ///< the environment variable that overrides it, or ""
  /// May a store set it? Never what starts a program or names a place on this
  /// machine: a store may come from elsewhere.
  bool in_store;
  const char* values = "";  ///< all that it may be, with blanks between them; "": any text
  bool is_path = false;     ///< `~` at its start is the user's home
};

std::span<const ConfigKey> config_keys();

/// Code::not_found, with a suggestion, unless there is such a key.
Result<const ConfigKey*> find_config_key(std::string_view name);

/// Code::invalid, with the values there are, unless `key` may have this value.
Result<void> check_setting(const ConfigKey& key, const std::string& value);

/// What the user's configuration file says, by `section.key`. The file is a
/// small part of TOML: `[section]`, `key = "text" | 'text' | true | 12` (a key with other
/// characters than A–Z, a–z, 0–9, `_`, `-` and `.` in double quotes), `#`.
using ConfigValues = std::map<std::string, std::string, std::less<>>;

/// What such a file says, as far as it can be read.
struct ConfigFile {
  ConfigValues values;
  /// Code::invalid with `file:line`, by the setting that a line is for which cannot be read.
  std::map<std::string, Error, std::less<>> wrong;
  std::optional<Error> lost;  ///< the first line of which nobody can tell what it is for
};

ConfigFile read_config(std::string_view text, std::string_view file_name);

/// The values alone; the error of the first line that cannot be read.
Result<ConfigValues> parse_config(std::string_view text, std::string_view file_name);

/// `text` with one key set (or, without a value, removed), every other line as
/// it was.
std::string edited_config(std::string_view text, std::string_view key,
                          const std::optional<std::string>& value);

/// Settings from environment > store > file > built in. Flags stand above all of
/// this and are the command's own. The file is read at the first question.
class Config {
 public:
  explicit Config(const Environment& environment) : environment_(environment) {}

  /// How to ask the store, once there is one: Store::local's answers.
  void ask_store(std::function<std::optional<std::string>(std::string_view key)> ask) {
    store_ = std::move(ask);
  }

  struct Value {
    std::string text;
    std::string origin;  ///< "chosen", "environment", "store", "file" or "default"
  };

  /// The value in force; an empty text where nothing sets it. Code::invalid when the line for it in
  /// the file cannot be understood, or any line that may be for it; Code::io when the file cannot
  /// be read.
  Result<Value> get(std::string_view key);

  /// From now on a line that cannot be understood, and a value that a setting cannot have, are
  /// none: for commands that mend settings, and those that write nothing that depends on them.
  void pass_over_wrong() { is_lenient_ = true; }
  bool is_lenient() const { return is_lenient_; }

  /// What the user's own file says under names that begin with `prefix`; sections that the table
  /// of settings does not know, such as `[providers.NAME]`. Never from a store.
  Result<ConfigValues> file_values(std::string_view prefix);

  /// This value above all others, for the rest of the process.
  void choose(std::string_view key, std::string value) {
    chosen_[std::string(key)] = std::move(value);
  }

  /// Writes the user's file, making it (and its folder) when there is none. A line for this setting
  /// that cannot be understood is replaced; Code::invalid, and nothing is written, where one is of
  /// which nobody can tell what it is for.
  Result<void> set(std::string_view key, const std::optional<std::string>& value);

  /// Where the user's file is, or would be; empty without a home.
  std::string file_name() const;

 private:
  Result<void> load();
  Result<Value> read(const ConfigKey& key, std::string_view name);

  const Environment& environment_;
  std::function<std::optional<std::string>(std::string_view)> store_;
  std::optional<ConfigFile> file_;
  bool is_lenient_ = false;
  ConfigValues chosen_;
};

}  // namespace spoor::cli
