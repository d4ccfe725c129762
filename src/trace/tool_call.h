#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/edit_lines.h"

namespace spoor::trace {

/// The purpose of a tool.
enum class ToolKind {
  unknown,  ///< not a known tool
  editor,   ///< changes files
  shell,    ///< runs commands
  code,     ///< runs a program that is given as text, in a language other than a shell's
  request,  ///< contacts a host on the network
  harmless  ///< only looks, thinks, asks or waits: it changes nothing itself
};

/// A call of a tool, read by its name and the members of its arguments: spoor's own, and those of
/// Claude Code, Codex, Cursor, Cline, Copilot, Gemini CLI, OpenCode, OpenHands, Pi and SWE-agent,
/// as their sessions name them. Everything that needs to know what a call does asks here, so that
/// events, reports and checks agree.
struct ToolCallRead {
  ToolKind kind =
      ToolKind::unknown;             ///< of this call: an editor that only shows a file is harmless
  std::vector<std::string> changed;  ///< paths, as given
  std::vector<FileEdit> edits;       ///< lines that change, as far as the arguments show
  std::string patch;                 ///< in a command that applies it: from `*** Begin Patch` on
  std::vector<std::string> scripts;  ///< of a shell
  std::vector<std::vector<std::string>> argvs;  ///< without a shell
  std::string folder;                           ///< working folder; empty: not stated
  std::vector<std::string> urls;
  std::string sql;       ///< given to a database
  bool is_lost = false;  ///< the arguments could not be read
  std::string unclear;   ///< the part that cannot be known, in words; empty: all was read
};
ToolCallRead read_tool_call(std::string_view tool, std::string_view arguments);

/// Returns what a call is about: the command that it runs, else the path, paths or address that it
/// names, else its arguments unchanged. Empty if there are none.
std::string target_of(std::string_view tool, std::string_view arguments);

}  // namespace spoor::trace
