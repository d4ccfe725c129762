#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spoor::agent::builtin {

/// The variables that a command gets, of those of this process: PATH, HOME, USER, LOGNAME, SHELL,
/// LANG, LANGUAGE, LC_*, TZ, TMPDIR, and those that `pass` names. TERM is `dumb`; PATH is there
/// always. What is_secret_name() knows is left out whoever asks for it. With a `temporary` folder
/// HOME and TMPDIR are that, whatever they were.
std::vector<std::pair<std::string, std::string>> command_environment(
    const std::vector<std::pair<std::string, std::string>>& all,
    const std::vector<std::string>& pass, const std::string& temporary = {});

/// Does a variable of this name hold a key? In any case of letters: what ends in KEY, TOKEN,
/// SECRET, PASSWORD, PASSWD, CREDENTIALS or AUTH, or has SECRET or API_KEY anywhere.
bool is_secret_name(std::string_view name);

}  // namespace spoor::agent::builtin
