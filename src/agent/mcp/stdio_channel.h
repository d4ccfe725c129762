#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/builtin/builtin.h"
#include "agent/mcp/channel.h"

namespace spoor::agent::mcp {

/// A server that is a program.
struct ServerProgram {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;  ///< in addition to the usual
};

/// Starts a server and speaks with it over its standard input and output, a message a line.
/// Sources: stdio of revision 2026-07-28; Transports, "stdio", of 2025-11-25.
///
/// The program is confined as run_command is (builtin/confined.h), in the root folder. It is ended
/// with the channel: its input is closed, and what still runs kExitGrace later is killed. A server
/// that prints lines that are not messages (more than kMostGarbage), a message above kMostMessage,
/// or more answers than it was asked for while it does not read ours, is ended; then every request
/// fails with Code::unavailable and the reason.
///
/// Returns Code::not_found or Code::denied if the program cannot be started.
Result<std::unique_ptr<Channel>> start_server(const ServerProgram& program,
                                              const builtin::SharedBase& base, Listener listener);

constexpr std::chrono::milliseconds kExitGrace{500};
constexpr int kMostGarbage = 100;

}  // namespace spoor::agent::mcp
