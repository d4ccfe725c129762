#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/planner.h"
#include "cli/agents/run_context.h"
#include "cli/models/open_model.h"
#include "cli/session.h"
#include "guard/check/gate.h"
#include "guard/check/run_constraints.h"
#include "llm/http/transport.h"
#include "llm/price.h"

namespace spoor::cli {

/// What the tools of a run on the command line are made of. Kept with the run, so that it can go
/// on.
struct ToolSettings {
  std::vector<std::string> names;     ///< of built-in tools, and of the memory's
  std::string root;                   ///< the folder of the files; as kept, see root_to_keep()
  std::vector<std::string> hosts;     ///< that http_get may ask
  bool has_network = false;           ///< commands may use the network
  std::vector<std::string> readable;  ///< what commands may read beyond the root; absolute
  std::vector<std::string> writable;  ///< write-protected paths that may be written all the same
  std::vector<std::string> approve;   ///< tools whose calls wait for a person
  std::string memory;                 ///< whose memory it is; empty: shared
  std::string capture;                ///< the capture mode that the run was under; empty: full
  std::string capture_fields;         ///< parts of which less is kept (guard/capture/field_modes.h)
  std::string environment;  ///< where it runs: local, ci, staging, prod; empty: nobody said
  RunContext context;       ///< where it was asked for, and on what
  guard::check::RunConstraints constraints;  ///< that its calls are held to, where enforced

  bool operator==(const ToolSettings&) const = default;
};

/// As a JSON object, and back. Code::corrupt when it is none.
std::string write_tool_settings(const ToolSettings& settings);
Result<ToolSettings> read_tool_settings(std::string_view json);

/// A root as it is kept with a run, and back: relative to the folder of its store where it lies in
/// that, so that a run goes on wherever both were moved to; as `~/…` where it lies in the user's
/// home; else as it is, absolute.
std::string root_to_keep(const std::string& root, const std::string& store,
                         const Environment& environment);
std::string root_from_kept(const std::string& kept, const std::string& store,
                           const Environment& environment);

/// What a run is opened for.
enum class Use {
  live,  ///< models are asked, tools are run
  look,  ///< neither: no key is needed, no script, and no folder of the files
};

/// The variables that a command may get (agent/builtin/environment.h says which do).
std::vector<std::pair<std::string, std::string>> command_variables(const Environment& environment);

/// Tools, models and prices of a run, and all that they stand on. Outlives the run.
class AgentSetup {
 public:
  /// `models`: who is asked, and who when that fails; one at least. The root is absolute.
  /// Code::not_found for a tool that there is not; denied when commands could reach the store.
  static Result<std::unique_ptr<AgentSetup>> open(Session& session, const ToolSettings& tools,
                                                  const std::vector<std::string>& models,
                                                  Use use = Use::live);

  /// Sets what of `options` is made here: registry, prices, fallbacks, gate; and `kept`, the
  /// settings as they are kept with the run.
  void give(agent::RunOptions& options, const ToolSettings& kept);

  llm::Candidate candidate() { return models_.front()->candidate(); }
  const std::string& model_name() const { return models_.front()->name(); }

 private:
  AgentSetup() = default;

  Result<void> make_gate(Session& session, const ToolSettings& tools);

  agent::Registry registry_;
  std::unique_ptr<guard::check::Programs> programs_;
  std::unique_ptr<guard::check::CheckGate> gate_;  // Null: nothing is enforced.
  std::vector<std::unique_ptr<OpenModel>> models_;
  std::unique_ptr<llm::http::Transport> transport_;
  std::optional<llm::PriceList> prices_;
};

}  // namespace spoor::cli
