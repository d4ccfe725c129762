#pragma once

#include <span>
#include <string>

#include "api/arguments.h"
#include "base/environment.h"
#include "cli/error.h"

namespace spoor::cli {

struct Command;
using Option = api::Parameter;

using api::Arguments;

/// Parses `words` (without the verb) by the command's table and the global one. `--` ends the
/// options, `-` is a value, `--name=value` and `--name value` are the same, letters may be joined,
/// and `-20` is `-n 20` if there is an `n`. `~` at the start of a path is the home that
/// `environment` names. Returns Code::invalid with a hint for everything the table does not allow.
Result<Arguments> parse_arguments(const Command& command, std::span<const std::string> words,
                                  const Environment& environment);

/// Returns the options that every command takes, before or after the verb.
std::span<const Option> global_options();

/// The global options before the verb. `rest` contains the verb and all words after it.
struct CommandLine {
  Arguments global;
  std::span<const std::string> rest;
};
Result<CommandLine> parse_global(std::span<const std::string> words,
                                 const Environment& environment);

}  // namespace spoor::cli
