#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/mcp/tools.h"

/// A server of the Model Context Protocol: coding agents ask what was recorded before. Sources: the
/// specification at modelcontextprotocol.io, revisions 2026-07-28 (Base Protocol, Versioning,
/// stdio, Streamable HTTP, Discovery, Caching, Tools, Resources) and 2025-11-25 (Lifecycle,
/// Transports, Tools, Resources).
namespace spoor::cli::mcp {

/// The headers of a message that came over HTTP; nullopt for one that is absent.
struct Headers {
  std::optional<std::string> version;  ///< MCP-Protocol-Version
  std::optional<std::string> method;   ///< Mcp-Method
  std::optional<std::string> name;     ///< Mcp-Name
};

/// The answer to one message.
struct Reply {
  std::string text;     ///< one line of JSON, without a line end; empty: nothing is answered
  unsigned status = 0;  ///< of HTTP
};

/// Answers messages. It keeps nothing between two messages: each names its revision of the protocol
/// by the members of `_meta`, and one without them is of 2025-11-25. For one thread.
class Server {
 public:
  /// `session` must outlive it.
  Server(Session& session, Rights rights) : session_(session), rights_(std::move(rights)) {}

  /// Answers a message: one JSON object. Never fails or throws because of its contents; a store
  /// that cannot be read is a failed result of the tool. `headers`: of a message over HTTP, null
  /// for another one.
  Reply answer(std::string_view message, const Headers* headers = nullptr);

 private:
  class Exchange;

  Session& session_;
  const Rights rights_;
};

}  // namespace spoor::cli::mcp
