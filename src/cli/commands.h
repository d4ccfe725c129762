#pragma once

#include <span>
#include <string_view>

#include "cli/command.h"

namespace spoor::cli {

/// Returns every command, in the order in which help lists them. The table is built at compile
/// time; nothing runs before main().
std::span<const Command* const> all_commands();

/// Returns the command of exactly this name, or null. Abbreviations are not accepted; a name of the
/// last release is.
const Command* find_command(std::string_view name);

/// Returns the command of this name in a group ("store" is the group of "store fsck"), or null.
const Command* find_command(const Command& group, std::string_view name);

/// Returns whether a command is in this group: "store fsck" is in "store".
bool is_in(const Command& command, const Command& group);

/// Returns whether commands are in a group of this name.
bool is_group(const Command& command);

/// Returns true for a command of the interactive session, which the shell does not offer.
bool is_for_session_only(const Command& command);

/// Returns a Code::invalid error with `word` and the command probably meant, written as for the
/// interactive session if `in_session`.
Error no_such_command(std::string_view word, bool in_session);

}  // namespace spoor::cli
