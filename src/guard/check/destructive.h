#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "guard/check/commands.h"
#include "guard/check/effects.h"

namespace spoor::guard::check {

/// Why a command destroys what cannot be had back, in words; nothing where it does not, as far as
/// its words tell (docs/checks.md lists what is looked for). `root`: absolute, of the folder that
/// is worked in; empty: not known. Nothing is guessed: a variable that nobody knows is no reason.
std::optional<std::string> destroys(const Command& command, std::string_view root);

/// Why nobody can tell whether it does: a variable decides what it takes away, where it writes, or
/// what code it runs. Nothing where its words tell.
std::optional<std::string> may_destroy(const Command& command);

/// Why a change takes a machine, an account or a repository over, in words: files that start
/// programs later (`~/.bashrc`, `.git/hooks`), that hold keys, or that are the system's. `root`: as
/// above; what lies in it is its own, but for its `.git`.
std::optional<std::string> takes_over(const Change& change, std::string_view root);

}  // namespace spoor::guard::check
