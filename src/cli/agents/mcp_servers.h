#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/builtin/builtin.h"
#include "agent/mcp/server.h"
#include "base/json/reader.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/session.h"
#include "llm/http/transport.h"

namespace spoor::cli {

inline constexpr Option kMcp{
    "--mcp",
    "NAME=COMMAND|URL",
    "a server of tools (Model Context Protocol; docs/tools.md); may be given again",
    0,
    Takes::text,
    Count::many};
inline constexpr Option kMcpConfig{"--mcp-config", "FILE",
                                   "servers from a file such as .mcp.json, which names commands", 0,
                                   Takes::path};
inline constexpr Option kMcpKey{
    "--mcp-key", "NAME=VARIABLE|FILE", "where the key of a server at a URL is; may be given again",
    0,           Takes::text,          Count::many};

/// A server of tools, as the command line or a file names it. Its texts may contain `${VARIABLE}`
/// and
/// `${VARIABLE:-default}`, which are replaced when it is opened: a record contains no value.
struct McpServer {
  std::string name;               ///< letters, digits, `_` and `-`; the tools are `NAME.TOOL`
  std::vector<std::string> argv;  ///< the command; empty if it is at a URL
  std::string url;
  std::vector<std::pair<std::string, std::string>> environment;  ///< of the command
  std::vector<std::pair<std::string, std::string>> headers;      ///< sent to the URL
  std::string key;  ///< a variable or a file (with a slash) with the key for the URL; empty: none

  bool operator==(const McpServer&) const = default;
};

/// Reads the options above. Source of the file's format: code.claude.com/docs/en/mcp
/// (`mcpServers`, with `command`, `args`, `env` or `type`, `url`, `headers`), as of 2026-11. A
/// secret in the file itself, rather than in a variable that it names, is Code::denied.
Result<std::vector<McpServer>> read_mcp_flags(const Arguments& arguments);

/// Converts servers to a JSON array and back, for the record of a run.
std::string write_mcp_servers(const std::vector<McpServer>& servers);
std::vector<McpServer> parse_mcp_servers(const json::Value& list);

/// Starts or reaches a server and asks for its tools. Values of variables and keys become known to
/// the process, so that none is stored. `base` and `transport` must outlive the tools made of it.
Result<std::shared_ptr<agent::mcp::Server>> open_mcp_server(Session& session,
                                                            const McpServer& server,
                                                            const agent::builtin::SharedBase& base,
                                                            const std::string& root,
                                                            llm::http::Transport& transport);

}  // namespace spoor::cli
