#pragma once

#include <map>
#include <optional>
#include <string>

namespace spoor::cli {

/// What the process was given: variables and the working directory. Only the
/// command line looks here; every layer below is told.
class Environment {
 public:
  virtual ~Environment() = default;

  /// The variable's value; nothing when it is unset.
  virtual std::optional<std::string> variable(const char* name) const = 0;

  /// All variables with their values.
  virtual std::map<std::string, std::string> all() const = 0;

  /// The absolute working directory.
  virtual std::string directory() const = 0;
};

/// The process's own.
class SystemEnvironment final : public Environment {
 public:
  std::optional<std::string> variable(const char* name) const override;
  std::map<std::string, std::string> all() const override;
  std::string directory() const override;
};

/// For tests: what it was filled with.
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

/// `$XDG_CONFIG_HOME/spoor`, else `$HOME/.config/spoor`; empty without either.
std::string config_home(const Environment& environment);

/// `$XDG_STATE_HOME/spoor`, else `$HOME/.local/state/spoor`; empty without either.
std::string state_home(const Environment& environment);

/// `$XDG_DATA_HOME/spoor`, else `$HOME/.local/share/spoor`; empty without either.
std::string data_home(const Environment& environment);

/// `~` and `~/…` in the user's home; any other path as it is, and where HOME is not set.
std::string expand_home(const Environment& environment, std::string path);

}  // namespace spoor::cli
