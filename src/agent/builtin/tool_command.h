#pragma once

#include <chrono>
#include <string>

#include "agent/builtin/builtin.h"
#include "agent/tool.h"
#include "base/result.h"

/// Tools that are programs of the user's (docs/tools.md, "Your own programs"). A call starts the
/// program, confined as run_command is. It gets the arguments as one JSON object on standard input,
/// and prints the result. Another exit status than 0 is a failed result, with its standard error.
namespace spoor::agent::builtin {

/// A program that is a tool.
struct ToolCommand {
  std::string name;     ///< the tool's id
  std::string program;  ///< an absolute path, or a name to look up in PATH

  bool operator==(const ToolCommand&) const = default;
};

/// Asks a program what it is: runs `PROGRAM --describe`, without input. A program that knows this
/// prints one JSON object: `description`, `input_schema` (a JSON Schema of its arguments; also as
/// `inputSchema`) and `read_only`, each optional. Any other program is described as one that takes
/// any object.
///
/// The question changes nothing: the program may only read here, in an empty folder, without a
/// network. Returns Code::not_found or Code::denied if it cannot be started; Code::invalid if it
/// prints a schema that is not one.
Result<ToolDefinition> describe_command(const ToolCommand& command, const SharedBase& base);

/// How long a program may take to describe itself.
constexpr std::chrono::milliseconds kDescribeTimeout{10'000};

/// Makes the tool. `definition` is what describe_command() returned, now or when the run began.
Tool make_tool_command(const ToolCommand& command, const ToolDefinition& definition,
                       SharedBase base);

}  // namespace spoor::agent::builtin
