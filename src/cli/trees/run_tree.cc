#include "cli/trees/run_tree.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/models/open_model.h"
#include "cli/settings/prices.h"
#include "cli/trees/tree_runner.h"
#include "cli/views/times.h"
#include "llm/tool_spec.h"
#include "trace/deriver.h"

namespace spoor::cli {
namespace {

using attempts::Tree;
using store::Oid;

std::string wire_name(std::string id) {
  std::replace(id.begin(), id.end(), '.', '_');
  return id;
}

// Returns how many thoughts of models are recorded up to `base`.
Result<std::size_t> thoughts_before(const graph::Repository& repository, const Oid& base) {
  std::size_t thoughts = 0;
  TRY(trace::derive(repository, {.arguments = false}, base,
                    [&](const trace::Step& step) -> Result<void> {
                      const auto* message = std::get_if<trace::Message>(&step.what);
                      if (message != nullptr) thoughts += message->reasoning.size();
                      return {};
                    }));
  return thoughts;
}

}  // namespace

Result<void> print_thinking(Session& session, const Tree& tree) {
  using Kind = llm::render::Treatment::Kind;
  Workspace& workspace = *TRY(session.workspace());
  const graph::Repository& repository = workspace.repository();
  std::vector<llm::ToolSpec> specs;
  for (const agent::ToolDefinition& tool : tree.plan.tools) {
    specs.push_back({wire_name(tool.id), tool.description, tool.parameters});
  }
  const std::size_t thoughts = TRY(thoughts_before(repository, tree.plan.base));
  if (thoughts == 0) return {};
  for (const std::string& name : tree.plan.models) {
    const auto model = TRY(OpenModel::open(session, name, OpenModel::Key::any));
    llm::Candidate candidate = model->candidate();
    if (!specs.empty()) {
      candidate.tools = TRY(llm::tools_json(model->provider().profile().wire, specs));
    }
    const auto rendered = TRY(llm::render_request(repository, tree.commit, candidate, {}));
    std::size_t replayed = 0;
    std::map<std::string, std::size_t> lost;
    for (const auto& treatment : rendered.treatments) {
      if (treatment.kind == Kind::replayed) ++replayed;
      const bool is_lost = treatment.kind == Kind::unbound || treatment.kind == Kind::unreadable ||
                           treatment.kind == Kind::stripped;
      if (is_lost) ++lost[treatment.why];
    }
    Output& err = session.err();
    err.print(
        fmt::format("{} is sent {} of {}", name, replayed, counted(thoughts, "recorded thought")));
    std::string why;
    for (const auto& [reason, count] : lost) {
      why += fmt::format("{}{}: {}", why.empty() ? " (" : "; ", count,
                         reason.empty() ? "not valid here" : reason);
    }
    err.print(why).print(why.empty() ? "" : ")").newline().flush();
  }
  return {};
}

Result<void> run_tree(Session& session, const Tree& tree, const attempts::Limits& limits,
                      std::size_t parallel) {
  TRY(session.require_trust());
  Workspace& workspace = *TRY(session.workspace());
  const llm::PriceList prices(TRY(read_prices(session.environment())));
  return TreeRunner(session, workspace, tree, limits, prices).run(parallel);
}

Result<std::size_t> judge_tree(Session& session, const Tree& tree,
                               const attempts::Expectation& expects, bool again) {
  Workspace& workspace = *TRY(session.workspace());
  const llm::PriceList prices(TRY(read_prices(session.environment())));
  return TreeRunner(session, workspace, tree, {}, prices).judge_all(expects, again);
}

Result<void> print_trees(Session& session, Arguments trees, bool as_json) {
  if (as_json) trees.add("--json", "");
  return find_command("compare")->run(session, trees);
}

}  // namespace spoor::cli
