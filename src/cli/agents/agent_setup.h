#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/planner.h"
#include "cli/agents/extra_tools.h"
#include "cli/agents/run_context.h"
#include "cli/models/open_model.h"
#include "cli/models/refused_file.h"
#include "cli/session.h"
#include "guard/check/gate.h"
#include "guard/check/run_constraints.h"
#include "llm/http/transport.h"
#include "llm/price.h"

namespace spoor::cli {

/// The settings of a run's tools. Recorded with the run, so that it can be resumed.
struct ToolSettings {
  std::vector<std::string> names;     ///< names of built-in tools and memory tools
  std::string root;                   ///< the folder of the files; as recorded, see root_to_keep()
  std::vector<std::string> hosts;     ///< hosts that http_get may reach
  bool has_network = false;           ///< commands may use the network
  std::vector<std::string> readable;  ///< paths outside the root that commands may read; absolute
  std::vector<std::string> writable;  ///< write-protected paths that commands may write
  std::vector<std::string> approve;   ///< tools whose calls wait for a person; `*`: that change
  ExtraTools extra;                   ///< tools that do not come with spoor
  std::string memory;                 ///< the owner of the memory; empty: shared
  std::string capture;                ///< the capture mode of the run; empty: full
  std::string capture_fields;         ///< parts of which less is kept (guard/capture/field_modes.h)
  std::string environment;            ///< local, ci, staging or prod; empty: not set
  RunContext context;                 ///< where the run was requested, and its subject
  guard::check::RunConstraints constraints;  ///< constraints on its calls, where enforced
  std::string attempt_of;  ///< the tree of an attempt whose calls no tool answers; empty: none

  bool operator==(const ToolSettings&) const = default;
};

/// Converts the settings to and from a JSON object. Returns Code::corrupt if `json` is not one.
std::string write_tool_settings(const ToolSettings& settings);
Result<ToolSettings> read_tool_settings(std::string_view json);

/// Converts a root to the form recorded with a run, and back. A root in the store's folder becomes
/// relative to that folder, so that a run can be resumed after both are moved. A root in the user's
/// home becomes `~/…`. Any other root stays absolute.
std::string root_to_keep(const std::string& root, const std::string& store,
                         const Environment& environment);
std::string root_from_kept(const std::string& kept, const std::string& store,
                           const Environment& environment);

/// In ToolSettings::approve: each tool that changes something.
inline constexpr std::string_view kEachChange = "*";

/// The purpose for which a run is opened.
enum class Use {
  live,  ///< models are called, tools are run
  look,  ///< neither: needs no key, no script and no folder of the files
};

/// Returns the variables that a command may get (listed in agent/builtin/environment.h).
std::vector<std::pair<std::string, std::string>> command_variables(const Environment& environment);

/// The tools, models and prices of a run, and the objects they use. Outlives the run.
class AgentSetup {
 public:
  /// `models` contains the model to call, then its fallbacks; at least one. The root is absolute.
  /// Returns Code::not_found for an unknown tool, Code::denied if commands could reach the store.
  static Result<std::unique_ptr<AgentSetup>> open(Session& session, const ToolSettings& tools,
                                                  const std::vector<std::string>& models,
                                                  Use use = Use::live);

  /// Sets the members of `options` that this class owns: registry, prices, fallbacks, gate. Also
  /// sets the run's recorded settings to `kept`, with what its extra tools say of themselves.
  void give(agent::RunOptions& options, const ToolSettings& kept);

  /// Asks a person about a call of the agent `agent` (RunOptions::person).
  using AskForAgent = std::function<std::optional<agent::PersonsAnswer>(
      const std::string& agent, const agent::Tool& tool, std::string_view arguments)>;

  /// Sets who is asked about the calls of agents that this run calls; else the run waits at such a
  /// call.
  void ask(AskForAgent person) { person_ = std::move(person); }

  /// Returns the tokens of a prompt that leave the model room for its answer; a default if the
  /// model's context is unknown.
  std::int64_t window_tokens() const;

  /// True if the model is known to make native calls though its wire does not promise any.
  bool takes_tools() const { return models_.front()->takes_tools(); }

  llm::Candidate candidate() { return models_.front()->candidate(); }
  const std::string& model_name() const { return models_.front()->name(); }

  /// Returns the folder that the tools are confined to, absolute.
  const std::string& root() const { return root_; }

 private:
  AgentSetup() = default;

  Result<std::vector<agent::Tool>> make_tools(Session& session, const ToolSettings& tools, Use use);
  Result<void> add_agents(Session& session, const ToolSettings& tools);
  Result<void> make_gate(Session& session, const ToolSettings& tools);

  std::string root_;
  std::vector<agent::ToolDefinition> defined_;       // The extra tools.
  std::unique_ptr<llm::http::Transport> transport_;  // Before the tools, which use it.
  std::deque<agent::Registry> of_agents_;            // The tools of agents that the run calls.
  AskForAgent person_;                               // For these agents.
  std::string keep_;                                 // Recorded with their runs.
  agent::Registry registry_;
  std::unique_ptr<guard::check::Programs> programs_;
  std::unique_ptr<guard::check::CheckGate> gate_;  // Null: nothing is enforced.
  std::vector<std::unique_ptr<OpenModel>> models_;
  std::vector<std::unique_ptr<OpenModel>> models_of_agents_;
  std::optional<llm::PriceList> prices_;
  std::optional<RefusedFile> refused_;
};

}  // namespace spoor::cli
