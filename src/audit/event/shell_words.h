#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::audit {

/// A program and its arguments.
using Words = std::vector<std::string>;

/// The simple commands of a line (or a script) for a POSIX shell, in their order, each as words
/// without their quotes. Operators (`;`, `&&`, `|`, …), line ends, parentheses and braces part
/// commands; so a substitution `$(…)` that no double quotes hold is a command of its own.
/// Redirections and the bodies of here-documents are left out, variables are not expanded, and
/// assignments before a command are no words of it.
///
/// It looks at a line; it does not judge what a shell would make of it (POSIX.1-2017, "Shell
/// Command Language", 2.2 to 2.10): `eval`, aliases and functions are not followed. Linear; a quote
/// without its end holds the rest.
std::vector<Words> commands_in(std::string_view line);

/// What an argument vector runs: itself, or the commands of the line that it gives to a shell
/// (`sh -c LINE`). Programs that only start another one (`sudo`, `env`, `timeout 5`, `nohup`,
/// `time`, `npx`, …) are left out from before it.
std::vector<Words> commands_of(std::span<const std::string> argv);

}  // namespace spoor::audit
