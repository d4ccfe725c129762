#pragma once

#include "cli/agents/agent_setup.h"
#include "cli/command.h"
#include "cli/session.h"

// The options that give an agent its tools.
namespace spoor::cli {

inline constexpr Option kTools{"--tools", "LIST",
                               "tools it may use, with commas (docs/tools.md; default: none)"};
inline constexpr Option kRoot{
    "--root", "DIR", "the folder that tools are confined to (default: here)", 0, Takes::path};
inline constexpr Option kAllowNetwork{"--allow-network", "", "let run_command use the network"};
inline constexpr Option kAllowRead{
    "--allow-read", "PATH",     "let run_command also read this path; may be given again", 0,
    Takes::path,    Count::many};
inline constexpr Option kAllowWrite{
    "--allow-write",
    "PATH",
    "let tools write this in --root, such as .git; may be given again",
    0,
    Takes::text,
    Count::many};
inline constexpr Option kHost{
    "--host", "HOST",      "a host that http_get may request; may be given again",
    0,        Takes::text, Count::many};
inline constexpr Option kApproveTool{
    "--ask-before",
    "TOOL",
    "pause the run before this tool, or with '*' before each that changes something, until you "
    "approve; may be given again",
    0,
    Takes::text,
    Count::many};
inline constexpr Option kMemoryOf{"--memory-of", "NAME",
                                  "the owner of the private memory that memory.learn may write"};

/// Returns the settings that the options above and `--context` ask for; absent ones may belong to
/// no command. Returns a usage error for a wrong value.
Result<ToolSettings> read_tool_flags(Session& session, const Arguments& arguments);

}  // namespace spoor::cli
