#include "agent/builtin/environment.h"

#include <algorithm>
#include <array>

namespace spoor::agent::builtin {
namespace {

constexpr std::array<std::string_view, 9> kKnown = {"PATH", "HOME",     "USER", "LOGNAME", "SHELL",
                                                    "LANG", "LANGUAGE", "TZ",   "TMPDIR"};

constexpr std::string_view kUsualPath = "/usr/local/bin:/usr/bin:/bin";

}  // namespace

bool is_secret_name(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  for (const std::string_view end :
       {"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIALS", "AUTH"}) {
    if (upper.ends_with(end)) return true;
  }
  return upper.find("SECRET") != std::string::npos || upper.find("API_KEY") != std::string::npos;
}

std::vector<std::pair<std::string, std::string>> command_environment(
    const std::vector<std::pair<std::string, std::string>>& all,
    const std::vector<std::string>& pass, const std::string& temporary) {
  std::vector<std::pair<std::string, std::string>> some;
  bool has_path = false;
  for (const auto& [name, value] : all) {
    const bool is_known = std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end() ||
                          name.starts_with("LC_") ||
                          std::find(pass.begin(), pass.end(), name) != pass.end();
    if (!is_known || is_secret_name(name) || name == "TERM") continue;
    if (!temporary.empty() && (name == "HOME" || name == "TMPDIR")) continue;
    some.emplace_back(name, value);
    has_path = has_path || name == "PATH";
  }
  if (!has_path) some.emplace_back("PATH", kUsualPath);
  some.emplace_back("TERM", "dumb");
  if (!temporary.empty()) {
    some.emplace_back("HOME", temporary);
    some.emplace_back("TMPDIR", temporary);
  }
  return some;
}

}  // namespace spoor::agent::builtin
