#include "base/environment.h"

#include <climits>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include "base/os/variables.h"

namespace spoor {
namespace {

std::string below_home(const Environment& environment, const char* xdg, const char* fallback) {
  // The XDG rules ignore a relative path here.
  if (const auto base = environment.variable(xdg); base && base->starts_with('/')) {
    return *base + "/spoor";
  }
  const auto home = environment.variable("HOME");
  return home && !home->empty() ? *home + fallback : std::string();
}

}  // namespace

std::optional<std::string> SystemEnvironment::variable(const char* name) const {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

std::map<std::string, std::string> SystemEnvironment::all() const {
  std::map<std::string, std::string> variables;
  for (char** next = os::variables(); next != nullptr && *next != nullptr; ++next) {
    const std::string_view entry = *next;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return variables;
}

std::string SystemEnvironment::directory() const {
  char buffer[PATH_MAX];
  return ::getcwd(buffer, sizeof buffer) == nullptr ? "." : buffer;
}

std::string expand_home(const Environment& environment, std::string path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  const auto home = environment.variable("HOME");
  if (home && !home->empty()) path.replace(0, 1, *home);
  return path;
}

std::string config_home(const Environment& environment) {
  return below_home(environment, "XDG_CONFIG_HOME", "/.config/spoor");
}

std::string state_home(const Environment& environment) {
  return below_home(environment, "XDG_STATE_HOME", "/.local/state/spoor");
}

Result<std::string> require_state_home(const Environment& environment) {
  std::string home = state_home(environment);
  if (!home.empty()) return home;
  return not_found("spoor has nowhere to keep its state", "set HOME or XDG_STATE_HOME");
}

std::string data_home(const Environment& environment) {
  return below_home(environment, "XDG_DATA_HOME", "/.local/share/spoor");
}

}  // namespace spoor
