#include "cli/trees/tree_plan.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "agent/record/recording.h"
#include "agent/runs.h"
#include "attempts/recorded_tools.h"
#include "base/json/writer.h"
#include "cli/agents/agent_setup.h"
#include "cli/agents/constraint_flags.h"
#include "cli/agents/run_flags.h"
#include "cli/agents/tool_flags.h"
#include "cli/models/model_settings.h"
#include "compile/turn.h"
#include "graph/reasoning.h"
#include "store/ancestry.h"
#include "trace/deriver.h"

namespace spoor::cli {
namespace {

using attempts::Answers;
using attempts::Plan;

constexpr std::int64_t kAttemptStepsDefault = 10;

// A summary of the history up to the base.
struct Before {
  std::optional<Oid> request;                        // The last request of a person.
  std::optional<Oid> open_answer;                    // An answer whose calls have no result yet.
  std::optional<Oid> last;                           // The last turn; pins and edits may follow it.
  std::map<std::string, std::int64_t> observations;  // By the run that made them.
};

Result<Before> look_before(const graph::Repository& repository, const Oid& base) {
  Before before;
  TRY(trace::derive(repository, {.arguments = false}, base,
                    [&](const trace::Step& step) -> Result<void> {
                      before.last = step.at.oid;
                      if (const auto* request = std::get_if<trace::Request>(&step.what)) {
                        before.open_answer.reset();
                        if (!request->is_injected) before.request = step.at.oid;
                      }
                      if (std::holds_alternative<trace::Message>(step.what)) {
                        before.open_answer.reset();
                      }
                      if (const auto* call = std::get_if<trace::Call>(&step.what)) {
                        if (call->result) ++before.observations[step.run];
                        if (!call->result && call->answer) before.open_answer = call->answer;
                      }
                      return {};
                    }));
  return before;
}

// Returns Code::conflict if a call has no result yet: nobody can answer then.
Result<void> require_results(const Workspace& workspace, const Before& before, const Oid& base) {
  if (!before.open_answer) return {};
  const std::string answer = workspace.short_id(*before.open_answer);
  return conflict(
      fmt::format("a call of the answer {} has no result at {}", answer, workspace.short_id(base)),
      fmt::format("fork after the last result of its calls, or at {} to answer anew", answer));
}

// Returns the end of the original history: HEAD if its branch contains the base, else of
// the branch that goes on farthest. Other attempts only count if nothing else does.
Result<std::optional<Oid>> line_of(const Workspace& workspace, const Oid& base) {
  const graph::Repository& repository = workspace.repository();
  const auto here = TRY(workspace.head_commit());
  if (here && *here != base && TRY(store::is_on_line(repository.reader(), base, *here))) {
    return here;
  }
  std::optional<Oid> best;
  std::uint64_t depth = 0;
  bool is_fork = true;
  for (const store::Ref& ref : TRY(repository.store().refs("refs/heads/"))) {
    if (!TRY(store::is_on_line(repository.reader(), base, ref.target))) continue;
    const bool is_of_tree = ref.name.starts_with("refs/heads/fork/");
    const std::uint64_t length = TRY(repository.reader().commit(ref.target))->depth;
    const bool is_better =
        !best || (is_fork && !is_of_tree) || (is_fork == is_of_tree && length > depth);
    if (!is_better) continue;
    best = ref.target;
    depth = length;
    is_fork = is_of_tree;
  }
  return best;
}

std::vector<agent::ToolDefinition> definitions_of(const agent::Registry& registry) {
  std::vector<agent::ToolDefinition> tools;
  for (const agent::Tool& tool : registry.tools()) {
    tools.push_back({.id = tool.id,
                     .description = tool.description,
                     .parameters = tool.parameters,
                     .read_only = tool.read_only});
  }
  return tools;
}

// Returns the options of an attempt's agent, as agent::read_options() reads them.
std::string agent_options(const Arguments& arguments, const agent::RunOptions& options) {
  json::Object object;
  object.add_string("calling", name_of(options.calling));
  object.add_boolean("rationale", options.rationale);
  object.add_boolean("strict_refs", options.strict_refs);
  object.add_integer("planner_version", options.planner_version);
  object.add_integer("max_steps", arguments.number("--attempt-steps", options.max_steps));
  const std::int64_t most = arguments.number("--answer-tokens", options.max_tokens_per_call);
  if (most > 0) object.add_integer("max_tokens_per_call", most);
  std::string temperature = arguments.text("--temperature", options.temperature);
  if (temperature == "-") temperature.clear();
  if (!temperature.empty()) object.add_string("temperature", temperature);
  const std::string effort = arguments.text("--effort", options.effort);
  if (!effort.empty()) object.add_string("effort", effort);
  return object.write();
}

// Takes what the run that wrote the base was done with.
Result<void> take_run(Session& session, const agent::RunName& run, agent::RunOptions& options,
                      ToolSettings& tools, Plan& plan) {
  Workspace& workspace = *TRY(session.workspace());
  const auto header = TRY(agent::record::read_header(workspace.repository(), run.id));
  plan.goal = header.goal;
  if (header.attempt_of) plan.observations = header.attempt_of->observations;
  plan.window_tokens = TRY(agent::session_options_of(header)).window_tokens;
  const auto setup = TRY(open_recorded(session, run.id, {}, options, Use::look));
  plan.tools = definitions_of(*options.registry);
  tools = TRY(read_tool_settings(json::write_object("caller", options.keep)));
  return {};
}

// Returns the settings of live tools that the line gives.
Result<ToolSettings> live_flags(Session& session, const Arguments& arguments) {
  Arguments flags;
  flags.add("--tools", arguments.text("--live-tools"));
  for (const Option& option :
       {kRoot, kHost, kAllowNetwork, kAllowRead, kAllowWrite, kApproveTool}) {
    for (const std::string& value : arguments.all(option.name)) flags.add(option.name, value);
  }
  return read_tool_flags(session, flags);
}

}  // namespace

Result<attempts::Limits> read_tree_limits(Session& session, const Arguments& arguments,
                                          attempts::Limits kept) {
  agent::RunOptions options;
  TRY(read_limits(session, arguments, options));
  if (options.budget.max_cost) kept.max_cost = options.budget.max_cost;
  if (options.budget.max_tokens) kept.max_tokens = options.budget.max_tokens;
  if (arguments.has("--max-steps")) kept.max_steps = arguments.number("--max-steps", 0);
  return kept;
}

Result<attempts::Expectation> read_expectation_flags(Session& session, const Arguments& arguments) {
  attempts::Expectation expects{.test = arguments.text("--test"),
                                .text = arguments.text("--expect"),
                                .judge = arguments.text("--judge"),
                                .rubric = arguments.text("--rubric"),
                                .constraints = {}};
  if (!expects.is_whole()) {
    return session.usage_error("'--judge' and '--rubric' belong together",
                               "try --judge openai/gpt-5 --rubric 'it names the table'");
  }
  const auto constraints = TRY(read_constraint_flags(arguments));
  if (!constraints.empty()) {
    expects.constraints = guard::check::write_run_constraints(constraints);
  }
  return expects;
}

Result<Oid> fork_base(const Workspace& workspace, const Oid& commit, bool asks) {
  const store::Reader& reader = workspace.reader();
  const auto parsed = TRY(reader.commit(commit));
  if (!asks || parsed->type != store::Type::assistant) return commit;
  const std::vector<Oid> thoughts = TRY(graph::reasoning_of(reader, commit));
  const auto first = thoughts.empty() ? parsed : TRY(reader.commit(thoughts.front()));
  return first->parents.empty() ? commit : first->parents.front();
}

Result<Oid> tree_base(const Workspace& workspace, const Oid& commit) {
  const store::Reader& reader = workspace.reader();
  Oid base = TRY(fork_base(workspace, commit, true));
  auto parsed = TRY(reader.commit(base));
  while (parsed->type == store::Type::reasoning && !parsed->parents.empty()) {
    base = parsed->parents.front();
    parsed = TRY(reader.commit(base));
  }
  return base;
}

Result<void> check_base(const Workspace& workspace, const Oid& commit) {
  const Oid base = TRY(tree_base(workspace, commit));
  return require_results(workspace, TRY(look_before(workspace.repository(), base)), base);
}

Result<std::vector<std::string>> tree_models(Session& session, const Arguments& arguments) {
  std::vector<std::string> models;
  for (const std::string& name : arguments.all("--model")) {
    if (std::ranges::find(models, name) == models.end()) models.push_back(name);
  }
  if (models.empty()) models.push_back(TRY(model_name(session, "")));
  return models;
}

Result<Plan> make_plan(Session& session, const Arguments& arguments,
                       const std::vector<std::string>& models, const Oid& base) {
  Workspace& workspace = *TRY(session.workspace());
  graph::Repository& repository = workspace.repository();
  Before before = TRY(look_before(repository, base));
  auto run = TRY(agent::run_of(repository, before.last.value_or(base)));
  if (run) {
    const auto header = TRY(agent::record::read_header(repository, run->id));
    // Of a run that was erased only the history is left, as of another agent's session.
    if (!agent::record::check_readable(header)) run.reset();
  }
  TRY(require_results(workspace, before, base));
  Plan plan;
  plan.base = base;
  plan.models = models;
  plan.count = arguments.number("--n", 1);
  plan.answers =
      attempts::answers_from(arguments.text("--tools", "recorded")).value_or(Answers::recorded);
  plan.line = TRY(line_of(workspace, base));
  agent::RunOptions options;
  options.max_steps = kAttemptStepsDefault;
  ToolSettings tools;
  if (run) {
    TRY(take_run(session, *run, options, tools, plan));
    plan.observations += before.observations[run->id];
  } else {
    options.rationale = false;
    if (before.request) {
      const auto request = TRY(repository.reader().commit(*before.request));
      const auto text = TRY(compile::text_of(repository.reader(), *request));
      if (text) plan.goal = *text;
    }
    if (plan.answers != Answers::live && plan.line) {
      plan.tools = TRY(attempts::tools_sent(repository, *plan.line));
      if (plan.tools.empty()) plan.tools = TRY(attempts::tools_called(repository, *plan.line));
    }
  }
  if (plan.goal.empty()) plan.goal = "go on";
  if (plan.answers == Answers::live) {
    plan.tools.clear();
    ToolSettings given = TRY(live_flags(session, arguments));
    given.root = root_to_keep(given.root, workspace.path(), session.environment());
    if (arguments.has("--live-tools") || !run) {
      tools = std::move(given);
    } else if (arguments.has("--root")) {
      tools.root = given.root;
    }
    if (tools.names.empty() && tools.extra.defined.empty()) {
      return session.usage_error("'--tools live' needs tools, and no run has any here",
                                 "name some: --live-tools read_file,edit_file");
    }
    plan.settings = write_tool_settings(tools);
  }
  plan.options = agent_options(arguments, options);
  plan.limits = TRY(read_tree_limits(session, arguments));
  return plan;
}

}  // namespace spoor::cli
