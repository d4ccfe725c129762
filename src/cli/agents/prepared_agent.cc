#include "cli/agents/prepared_agent.h"

#include <utility>
#include <vector>

#include "agent/project/agents_md.h"
#include "base/files.h"
#include "cli/agents/constraint_flags.h"
#include "cli/agents/run_flags.h"
#include "cli/settings/capture.h"

namespace spoor::cli {
namespace {

// Puts what the project says to agents before the user's own instructions, and names the files.
Result<void> add_agents_md(Session& session, const std::string& root, agent::RunOptions& options) {
  const auto read = TRY(agent::project::read_agents_md(root));
  for (const std::string& path : read.paths) {
    session.err().print(Style::muted, "instructions from " + path).newline().flush();
  }
  if (read.is_cut) {
    session.err().print(Style::warning, "warning");
    session.err()
        .print(": AGENTS.md is longer than 32 KiB; the rest was left out")
        .newline()
        .flush();
  }
  if (!options.instructions.empty() && !read.text.empty()) options.instructions.insert(0, "\n");
  options.instructions.insert(0, read.text);
  return {};
}

// Reads the options of the agent that do not depend on its model.
Result<void> read_options(Session& session, const Arguments& arguments, ToolSettings& tools,
                          agent::RunOptions& options) {
  TRY(read_limits(session, arguments, options));
  options.rationale = !arguments.has("--no-rationale");
  options.strict_refs = arguments.text("--refs") == "strict";
  if (const auto calling = agent::calling_from(arguments.text("--calling"))) {
    options.calling = *calling;
  }
  if (arguments.has("--instructions")) {
    const std::string path = arguments.text("--instructions");
    options.instructions = TRY(read_given_file(path));
  }
  if (!arguments.has(kNoAgentsMd.name)) TRY(add_agents_md(session, tools.root, options));
  tools.constraints = TRY(read_constraint_flags(arguments));
  const guard::check::Rules held_to = TRY(tools.constraints.rules());
  if (tools.constraints.is_enforced) warn_of_unenforced(session, held_to);
  const std::string rules = instructions_of(held_to);
  if (!options.instructions.empty() && !rules.empty()) options.instructions += "\n\n";
  options.instructions += rules;
  return {};
}

}  // namespace

Result<PreparedAgent> prepare_agent(Session& session, const Arguments& arguments,
                                    ToolSettings tools, const std::string& model,
                                    agent::RunOptions options) {
  PreparedAgent agent{.options = std::move(options), .where = {}, .setup = nullptr};
  TRY(read_options(session, arguments, tools, agent.options));
  if (arguments.has("--capture")) {
    TRY(session.capture_at_most(TRY(api::read_capture(arguments.text("--capture")))));
  }
  std::vector<std::string> models = {model};
  for (const std::string& name : arguments.all("--fallback")) models.push_back(name);
  agent.setup = TRY(AgentSetup::open(session, tools, models));
  Workspace& workspace = *TRY(session.workspace_or_new());
  ToolSettings kept = std::move(tools);
  const auto to_keep = [&](const std::string& path) {
    return root_to_keep(path, workspace.path(), session.environment());
  };
  kept.root = to_keep(kept.root);
  map_paths(kept.extra, to_keep);
  TRY(keep_capture(session, kept));
  agent.setup->give(agent.options, kept);
  if (agent.options.calling == agent::Calling::automatic && agent.setup->takes_tools()) {
    agent.options.calling = agent::Calling::native;
  }
  agent.where.principal = arguments.text("--principal");
  agent.where.when_full = agent::when_full_from(arguments.text(kWhenFull.name))
                              .value_or(agent::Session::Options{}.when_full);
  agent.where.window_tokens = arguments.number("--window-tokens", agent.setup->window_tokens());
  return agent;
}

}  // namespace spoor::cli
