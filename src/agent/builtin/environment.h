#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spoor::agent::builtin {

/// Returns the variables for a command. Those of this process are limited to PATH, HOME, USER,
/// LOGNAME, SHELL, LANG, LANGUAGE, LC_*, TZ, TMPDIR, and those in `pass`, without any that
/// is_secret_name() matches. TERM is `dumb`; PATH is always set. A `temporary` folder replaces HOME
/// and TMPDIR.
std::vector<std::pair<std::string, std::string>> command_environment(
    const std::vector<std::pair<std::string, std::string>>& all,
    const std::vector<std::string>& pass, const std::string& temporary = {});

/// Reports whether a variable of this name may contain a secret. Ignores case: the name ends in
/// KEY, TOKEN, SECRET, PASSWORD, PASSWD, CREDENTIALS or AUTH, or contains SECRET or API_KEY.
bool is_secret_name(std::string_view name);

}  // namespace spoor::agent::builtin
