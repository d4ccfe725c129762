#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "audit/check/commands.h"

namespace spoor::audit::check {

/// Why a command destroys what cannot be had back, in words; nothing where it does not, as far as
/// its words tell (docs/checks.md lists what is looked for). `root`: absolute, of the folder that
/// is worked in; empty: not known. Nothing is guessed: a variable that nobody knows is no reason.
std::optional<std::string> destroys(const Command& command, std::string_view root);

/// Why nobody can tell whether it does: a variable decides what it takes away, where it writes, or
/// what code it runs. Nothing where its words tell.
std::optional<std::string> may_destroy(const Command& command);

/// Why a text of SQL does: DROP and TRUNCATE of what is lasting, DELETE without WHERE. Strings and
/// comments in it are passed over.
std::optional<std::string> sql_destroys(std::string_view sql);

}  // namespace spoor::audit::check
