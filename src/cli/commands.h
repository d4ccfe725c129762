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

/// Code::invalid that names `word` and what was probably meant.
Error no_such_command(std::string_view word);

}  // namespace spoor::cli
