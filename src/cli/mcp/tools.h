#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/json_writer.h"
#include "base/json/reader.h"
#include "cli/mcp/excerpt.h"
#include "cli/session.h"

namespace spoor::cli::mcp {

/// The rights of a tool's caller.
struct Rights {
  bool may_write = false;
  std::string why_not;        ///< if not: what to do about it
  std::string author;         ///< of what it writes; empty: the session's
  std::string branch_prefix;  ///< of the branches that it may write; empty: all
};

/// The answer of a tool: a text for a model.
struct Told {
  std::string text;
  std::string structured = {};  ///< a JSON object, the same as the text; empty: there is none
};

/// A question that an agent asks its own past. Most are a command of the shell, with some of its
/// parameters: name, types and help are those of the command table.
struct Tool {
  const char* name;
  const char* description;
  std::vector<Option> parameters;
  bool writes = false;
  bool is_indented = false;  ///< each line of the text is indented by two, since it is a quotation
};

/// The tools, in the order in which they are listed.
std::span<const Tool> tools();

/// Returns the tool of this name, or null.
const Tool* find_tool(std::string_view name);

/// Appends the tool as `tools/list` has it, with the JSON Schema of its arguments.
void write_tool(api::JsonWriter& json, const Tool& tool);

/// Runs a tool with `arguments`, a JSON object or a missing value. The text keeps to the caller's
/// `max_tokens`. Returns Code::invalid for arguments that the schema does not allow, Code::denied
/// without the right to write, and the errors of the command.
Result<Told> call_tool(Session& session, const Tool& tool, const json::Value& arguments,
                       const Rights& rights);

/// Runs a command, and returns the part of its text that `range` wants. It has no colours, whatever
/// the configuration.
Result<std::string> text_of(Session& session, std::string_view command, const Arguments& arguments,
                            const Range& range, bool is_indented = false);

}  // namespace spoor::cli::mcp
