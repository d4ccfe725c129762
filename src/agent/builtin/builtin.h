#pragma once

#include <chrono>
#include <cstddef>
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

/// The tools that come with spoor, for an agent that works on files (docs/tools.md). None is there
/// unless it was asked for by name.
///
/// Those that read and write files are confined to one folder (root.h). What `run_command` runs is
/// confined by the system, as far as this kernel can (sandbox.h). None of them reaches the store
/// that the run is recorded in.
namespace spoor::agent::builtin {

/// What the tools are made with.
struct Settings {
  std::string root;   ///< the folder that they work in; it must be there
  std::string store;  ///< the file that the run is recorded in, which no tool touches; empty: none
  /// What may be written though it is write-protected (protected_paths.h): paths relative to the
  /// root, each with all below it.
  std::vector<std::string> write_allowed;

  std::size_t output_cap = 30'000;  ///< bytes of a result's text, 1,000 at least; more is cut
  std::size_t attach_cap = 4 * 1024 * 1024;  ///< bytes of an output that are kept beside a cut text

  std::chrono::milliseconds command_timeout{120'000};       ///< where a call names none
  std::chrono::milliseconds most_command_timeout{600'000};  ///< what a call may ask for
  /// The variables of this process. A command gets a few of them that programs need and that hold
  /// no secret (environment.h), and those that `pass_variables` names.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> pass_variables;
  bool has_network = false;            ///< commands may use it
  std::vector<std::string> readable;   ///< files and folders that commands may read beyond the root
  MostConfinement most_confinement{};  ///< of commands

  /// Where http_get may go: `example.com`, `example.com:8080`, `*.example.com` (hosts below it, not
  /// itself). Without a port the scheme's own is meant.
  std::vector<std::string> hosts;
  std::chrono::milliseconds http_timeout{30'000};
  llm::http::Transport* transport = nullptr;  ///< for http_get; outlives the tools

  /// By which the time of a command is told; outlives the tools. Null: by the machine's own.
  const Clock* clock = nullptr;
};

struct Description {
  std::string_view name;
  std::string_view line;  ///< what it does, in one line, for people
};

/// All there are, in the order in which help shows them.
std::span<const Description> all_tools();

/// The tools of these names, in this order. Code::not_found for a name that is none, and when the
/// root is none; invalid for a name given twice, http_get without a transport, caps too small, or a
/// variable to pass that by its name is a secret.
///
/// What is made is safe to run from several threads; so says `read_only` of those that change
/// nothing. Two edits of one file at once are not lost silently: the later one is refused, or wins.
Result<std::vector<Tool>> make_tools(std::span<const std::string> names, const Settings& settings);

/// What confines commands that are run with these settings on this machine. Tries it out. Errors
/// are those for which no command would be run: as of Sandbox::open(), and Code::denied when the
/// store lies where a command could reach it.
Result<Confinement> find_confinement(const Settings& settings);

/// The same, for any folder and without a store.
Result<Confinement> find_confinement();

}  // namespace spoor::agent::builtin
