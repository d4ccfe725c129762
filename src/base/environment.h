#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace spoor {

/// The variables and the working directory of the process. Only the program and libspoor read them;
/// every layer below takes their values as arguments.
class Environment {
 public:
  virtual ~Environment() = default;

  /// Returns the variable's value, or nullopt if it is unset.
  virtual std::optional<std::string> variable(const char* name) const = 0;

  /// Returns all variables with their values.
  virtual std::map<std::string, std::string> all() const = 0;

  /// Returns the absolute working directory.
  virtual std::string directory() const = 0;
};

/// The environment of this process.
class SystemEnvironment final : public Environment {
 public:
  std::optional<std::string> variable(const char* name) const override;
  std::map<std::string, std::string> all() const override;
  std::string directory() const override;
};

/// An environment for tests, with the values put into it.
class MapEnvironment final : public Environment {
 public:
  std::map<std::string, std::string> variables;
  std::string working_directory = "/";

  std::optional<std::string> variable(const char* name) const override {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  }
  std::map<std::string, std::string> all() const override { return variables; }
  std::string directory() const override { return working_directory; }
};

/// Returns `$XDG_CONFIG_HOME/spoor`, else `$HOME/.config/spoor`; empty without either.
std::string config_home(const Environment& environment);

/// Returns `$XDG_STATE_HOME/spoor`, else `$HOME/.local/state/spoor`; empty without either.
std::string state_home(const Environment& environment);

/// Returns state_home(). Code::not_found if it is empty.
Result<std::string> require_state_home(const Environment& environment);

/// Returns `$XDG_DATA_HOME/spoor`, else `$HOME/.local/share/spoor`; empty without either.
std::string data_home(const Environment& environment);

/// Replaces the `~` of `~` and `~/…` with the user's home. Returns other paths unchanged, and all
/// paths if HOME is not set.
std::string expand_home(const Environment& environment, std::string path);

}  // namespace spoor
