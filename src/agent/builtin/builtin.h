#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/builtin/confinement.h"
#include "agent/tool.h"
#include "base/result.h"
#include "base/timestamp.h"
#include "llm/http/transport.h"

/// The built-in tools, for an agent that works on files (docs/tools.md). Each is available only if
/// it is requested by name.
///
/// Tools that read and write files are confined to one folder (root.h). Commands of `run_command`
/// are confined by the kernel, as far as it can (sandbox.h). No tool can reach the store that the
/// run is recorded in.
namespace spoor::agent::builtin {

/// The settings for make_tools().
struct Settings {
  std::string root;   ///< the folder that they work in; it must exist
  std::string store;  ///< the run's store file, which no tool may touch; empty: none
  /// Write-protected paths (protected_paths.h) that may be written: relative to the root, each with
  /// everything below it.
  std::vector<std::string> write_allowed;

  std::size_t output_cap = 30'000;  ///< bytes of a result's text, at least 1,000; the rest is cut
  std::size_t attach_cap = 4 * 1024 * 1024;  ///< bytes of a cut output that are attached

  std::chrono::milliseconds command_timeout{120'000};       ///< unless the call sets one
  std::chrono::milliseconds most_command_timeout{600'000};  ///< the maximum that a call may set
  /// The variables of this process. A command gets a few that programs need and that contain no
  /// secret (environment.h), and those named in `pass_variables`.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> pass_variables;
  bool has_network = false;            ///< commands may use the network
  std::vector<std::string> readable;   ///< what commands may read outside the root
  MostConfinement most_confinement{};  ///< of commands

  /// The hosts that http_get may reach: `example.com`, `example.com:8080`, `*.example.com` (hosts
  /// below it, not itself). Without a port, the scheme's default port.
  std::vector<std::string> hosts;
  std::chrono::milliseconds http_timeout{30'000};
  llm::http::Transport* transport = nullptr;  ///< for http_get; must outlive the tools

  /// Measures the time of a command; must outlive the tools. Null: the system clock.
  const Clock* clock = nullptr;
};

/// The root, the sandbox and the settings that tools share. Tools keep it alive.
struct Base;
using SharedBase = std::shared_ptr<const Base>;  // Shared by tools, which may be copied.

/// Opens the root. Returns Code::not_found if it does not exist; Code::invalid for caps that are
/// too small, or a variable in `pass_variables` whose name marks a secret.
Result<SharedBase> open_base(const Settings& settings);

struct Description {
  std::string_view name;
  std::string_view line;  ///< one line about the tool, for people
};

/// Returns all tools, in the order of the help.
std::span<const Description> all_tools();

/// Makes the tools of these names, in this order. Returns Code::not_found for an unknown name;
/// Code::invalid for a name given twice, or http_get without a transport.
///
/// The tools are thread-safe; those that change nothing are marked `read_only`. Of two concurrent
/// edits of one file, the later one is refused or wins.
Result<std::vector<Tool>> make_tools(std::span<const std::string> names, const SharedBase& base);

/// As above, with open_base().
Result<std::vector<Tool>> make_tools(std::span<const std::string> names, const Settings& settings);

/// Returns what confines commands with these settings on this machine, by trying it. Returns the
/// errors for which no command would run: those of Sandbox::open(), and Code::denied if a command
/// could reach the store.
Result<Confinement> find_confinement(const Settings& settings);

/// As above, for any folder and without a store.
Result<Confinement> find_confinement();

}  // namespace spoor::agent::builtin
