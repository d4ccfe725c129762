#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/edit_lines.h"

namespace spoor::trace {

/// What a tool is for.
enum class ToolKind {
  unknown,  ///< nobody knows
  editor,   ///< changes files
  shell,    ///< runs commands
  code,     ///< runs a program that is given as text, in another language than a shell's
  request,  ///< asks somebody on the network
  harmless  ///< looks, thinks, asks or waits: of itself it changes nothing
};

/// A call of a tool, read by its name and the members of its arguments: ours, and those of Claude
/// Code, Codex, Cursor, Cline, Copilot, Gemini CLI, OpenCode, OpenHands, Pi and SWE-agent, as their
/// sessions name them. Whatever wants to know what a call does asks here, so that events, reports
/// and checks see the same.
struct ToolCallRead {
  ToolKind kind =
      ToolKind::unknown;             ///< of this call: an editor that only shows a file is harmless
  std::vector<std::string> changed;  ///< paths, as they were given
  std::vector<FileEdit> edits;       ///< lines that change, as far as the arguments tell
  std::vector<std::string> scripts;  ///< of a shell
  std::vector<std::vector<std::string>> argvs;  ///< no shell's
  std::string folder;                           ///< that it runs in; empty: not said
  std::vector<std::string> urls;
  std::string sql;       ///< given to a database
  bool is_lost = false;  ///< the arguments are nothing that could be read
  std::string unclear;   ///< what nobody can tell of it, in words; empty: it was read to its end
};
ToolCallRead read_tool_call(std::string_view tool, std::string_view arguments);

/// Returns what a call is about: the command that it runs, else the path, paths or address that it
/// names, else its arguments as they are. Empty if there are none.
std::string target_of(std::string_view tool, std::string_view arguments);

}  // namespace spoor::trace
