#pragma once

#include <string>

#include "cli/command.h"

namespace spoor::cli {

class Output;

/// The overview: every verb with its summary, by group.
void print_overview(Output& out);

/// All commands, by what they are for.
void print_all_commands(Output& out);

/// One command: usage, details, what it takes, examples.
void print_help(Output& out, const Command& command);

/// How commits are named: `spoor help revisions`.
void print_revisions(Output& out);

/// Prints the commands of a group.
void print_group(Output& out, const Command& group);

/// The interactive session: `spoor help session`.
void print_session(Output& out);

/// `spoor log [OPTION]... [REV]`.
std::string usage_line(const Command& command);

/// Returns the name of a command's manual page, without its section: `spoor-store-gc`.
std::string page_name(const Command& command);

/// The page of one command in man's language, and that of the program itself.
std::string man_page(const Command& command);
std::string main_man_page();

}  // namespace spoor::cli
