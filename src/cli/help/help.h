#pragma once

#include <string>

#include "cli/command.h"

namespace spoor::cli {

class Output;

/// Prints the overview: every verb with its summary, by group.
void print_overview(Output& out);

/// Prints all commands, by purpose.
void print_all_commands(Output& out);

/// Prints one command: usage, details, options, examples.
void print_help(Output& out, const Command& command);

/// Prints how to name commits: `spoor help revisions`.
void print_revisions(Output& out);

/// Prints the commands of a group.
void print_group(Output& out, const Command& group);

/// Prints the interactive session's help: `spoor help session`.
void print_session(Output& out);

/// Returns `spoor log [OPTION]... [REV]`.
std::string usage_line(const Command& command);

/// Returns the name of a command's manual page, without its section: `spoor-store-gc`.
std::string page_name(const Command& command);

/// Return the man page of one command, and that of the program, in roff.
std::string man_page(const Command& command);
std::string main_man_page();

}  // namespace spoor::cli
