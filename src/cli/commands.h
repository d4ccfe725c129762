#pragma once

#include <span>
#include <string_view>

#include "cli/command.h"

namespace spoor::cli {

/// Every command, in the order help lists them. The table is built at compile
/// time; nothing runs before main().
std::span<const Command* const> all_commands();

/// The command of this very name, or null. No abbreviations.
const Command* find_command(std::string_view name);

/// Returns the command of this name in a group ("store" is the group of "store fsck"), or null.
const Command* find_command(const Command& group, std::string_view name);

/// Returns whether a command is in this group: "store fsck" is in "store".
bool is_in(const Command& command, const Command& group);

/// Returns whether commands are in a group of this name.
bool is_group(const Command& command);

/// Returns the name that replaced this one; empty if `name` is not an old name. Old names work for
/// one release.
std::string_view new_name(std::string_view name);

/// Is it one of the interactive session's own? The shell has no use for those.
bool is_for_session_only(const Command& command);

/// Code::invalid that names `word` and what was probably meant; `in_session` as one
/// says it there.
Error no_such_command(std::string_view word, bool in_session);

}  // namespace spoor::cli
