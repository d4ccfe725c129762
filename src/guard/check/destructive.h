#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "guard/check/commands.h"
#include "guard/check/effects.h"

namespace spoor::guard::check {

/// Returns why a command destroys what cannot be restored, in words; nullopt if it does not, as far
/// as its words show (docs/checks.md lists the patterns). `root` is the absolute path of the
/// working folder; empty: not known. Nothing is guessed: an unknown variable is not a reason.
std::optional<std::string> destroys(const Command& command, std::string_view root);

/// Returns why it cannot be known whether a command destroys: a variable decides what it deletes,
/// where it writes, or what code it runs. Nullopt if its words decide.
std::optional<std::string> may_destroy(const Command& command);

/// Returns why a change takes over a machine, an account or a repository, in words: it affects
/// files that start programs later (`~/.bashrc`, `.git/hooks`), that contain keys, or that belong
/// to the system. `root`: as above; files in it are harmless except those in its `.git`.
std::optional<std::string> takes_over(const Change& change, std::string_view root);

}  // namespace spoor::guard::check
