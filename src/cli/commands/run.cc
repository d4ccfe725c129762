// run and resume: let an agent work towards a goal.
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "agent/builtin/builtin.h"
#include "agent/record/recording.h"
#include "agent/runs.h"
#include "base/files.h"
#include "cli/agents/agent_setup.h"
#include "cli/agents/constraint_flags.h"
#include "cli/agents/prepared_agent.h"
#include "cli/agents/run_context.h"
#include "cli/agents/run_flags.h"
#include "cli/agents/tool_flags.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/models/model_settings.h"
#include "cli/session.h"
#include "cli/settings/capture.h"
#include "cli/settings/store_path.h"
#include "store/ancestry.h"

namespace spoor::cli {
namespace {

constexpr Option kPlanner{.name = "--planner",
                          .value = "NAME",
                          .help = "react, plan or reflexion (default: react; docs/agents.md)",
                          .takes = Takes::choice,
                          .choices = "react|plan|reflexion"};
constexpr Option kSynthesize{"--synthesize", "",
                             "with plan: ask for the answer when the steps are done (the default)"};
constexpr Option kNoSynthesize{"--no-synthesize", "",
                               "with plan: take the answer that the plan has, if it has one"};
constexpr std::array kRunOptions = {
    Option{"goal", "GOAL", "the goal; - reads standard input", 0, Takes::prose, Count::one},
    kPlanner,
    kModel,
    kFallback,
    kTools,
    kToolCommand,
    kMcp,
    kMcpConfig,
    kMcpKey,
    kSkills,
    kAgents,
    kRoot,
    kHost,
    kAllowNetwork,
    kAllowRead,
    kAllowWrite,
    kApproveTool,
    kMaxSteps,
    kMaxCost,
    kMaxTokens,
    kMaxTime,
    kMaxReplans,
    kMaxOuter,
    kAnswerTokens,
    kEffort,
    kTemperature,
    kTokens,
    kWhenFull,
    kCalling,
    kNoRationale,
    kSynthesize,
    kNoSynthesize,
    kRefs,
    kInstructions,
    kNoAgentsMd,
    kPrincipal,
    kContext,
    kMemoryOf,
    kConstraint,
    kConstraints,
    kEnforce,
    kCapture,
    kJson,
};
constexpr std::array kResumeOptions = {
    Option{"run", "RUN", "the run (default: latest)", 0, Takes::run, Count::optional},
    Option{"--approve", "", "approve the call that waits for you"},
    Option{"--deny", "", "refuse it and inform the model"},
    Option{"--reason", "TEXT", "a note to record with it; a refused model receives it"},
    Option{"--again", "", "make the call that was running when the process ended once more"},
    Option{"--branch", "NAME", "the branch to continue on (default: the run's branch)", 0,
           Takes::branch},
    kModel,
    kFallback,
    kMaxSteps,
    kMaxCost,
    kMaxTokens,
    kMaxTime,
    kMaxReplans,
    kMaxOuter,
    kAnswerTokens,
    kEffort,
    kTemperature,
    kJson,
};

Result<agent::Strategy> strategy_of(const std::string& planner) {
  if (planner == "plan") return agent::Strategy::plan_and_execute;
  const auto strategy = agent::strategy_from(planner);
  if (!strategy) return invalid(fmt::format("unknown planner '{}'", planner));
  return *strategy;
}

// Prints the store's path, since a user would look for the run in the project's store.
void say_where(Session& session, const Workspace& workspace) {
  const std::string here = find_store(session.environment(), {});
  if (here == workspace.path() || workspace.path() != user_store(session.environment())) return;
  session.err().print(Style::hint, "hint:");
  session.err().print(" this is recorded in your own store: spoor --store '" + workspace.path() +
                      "' log\n");
}

Result<void> run_run(Session& session, const Arguments& arguments) {
  session.use_own_store();
  const std::string goal = TRY(text_argument(session, arguments.text("goal")));
  const agent::Strategy strategy = TRY(strategy_of(arguments.text("--planner", "react")));
  if (arguments.has("--synthesize") && arguments.has("--no-synthesize")) {
    return invalid("--synthesize and --no-synthesize cannot be combined", "use one of them");
  }
  agent::RunOptions options;
  const bool plans = strategy == agent::Strategy::plan_and_execute;
  options.synthesize = plans && !arguments.has("--no-synthesize");
  const std::string model = TRY(model_name(session, arguments.text("--model")));
  PreparedAgent agent = TRY(prepare_agent(
      session, arguments, TRY(read_tool_flags(session, arguments)), model, std::move(options)));
  Workspace& workspace = *TRY(session.workspace());
  const std::string branch = TRY(workspace.branch_for_writing());
  TRY(check_view(workspace, branch));
  RunLock lock(workspace.files());
  TRY(lock.take_branch(branch));
  say_where(session, workspace);
  agent::Session agent_session(workspace.repository(), branch, agent.where);
  return run_shown(session, *agent.setup, lock, agent.options, arguments.has("--json"), [&] {
    return agent::run(strategy, goal, agent.setup->candidate(), agent_session, agent.options);
  });
}

// Returns the branch on which a run resumes: its own, unless that no longer contains the run and
// HEAD's branch does.
Result<std::string> branch_of(const Workspace& workspace, const agent::record::Header& header,
                              const std::string& given) {
  if (!given.empty()) return given;
  const graph::Repository& repository = workspace.repository();
  const auto holds = [&](const std::string& name) -> Result<bool> {
    const auto tip = TRY(repository.store().ref(store::branch_ref(name)));
    if (!tip) return false;
    return store::is_ancestor(repository.reader(), header.head, *tip);
  };
  if (TRY(holds(header.session))) return header.session;
  const auto current = workspace.branch_for_writing();
  if (current && TRY(holds(*current))) return *current;
  return header.session;
}

Result<void> run_resume(Session& session, const Arguments& arguments) {
  session.use_own_store();
  if (arguments.has("--approve") && arguments.has("--deny")) {
    return invalid("--approve and --deny cannot be combined", "use one of them");
  }
  Workspace& workspace = *TRY(session.workspace());
  graph::Repository& repository = workspace.repository();
  const std::string run = TRY(agent::find_run(repository, arguments.text("run", "latest"))).id;
  const auto header = TRY(agent::record::read_header(repository, run));
  agent::RunOptions options;
  const auto setup = TRY(open_recorded(session, run, arguments, options));
  agent::ResumeOptions how;
  if (arguments.has("--approve")) how.approval = true;
  if (arguments.has("--deny")) how.approval = false;
  how.reason = arguments.text("--reason");
  how.again = arguments.has("--again");
  const std::string branch = TRY(branch_of(workspace, header, arguments.text("--branch")));
  RunLock lock(workspace.files());
  TRY(lock.take_run(run));
  TRY(lock.take_branch(branch));
  agent::Session agent_session(repository, branch, TRY(agent::session_options_of(header)));
  return run_shown(session, *setup, lock, options, arguments.has("--json"), [&] {
    return agent::resume(run, setup->candidate(), agent_session, options, how);
  });
}

constexpr std::array kRunExamples = {
    Example{
        "spoor run 'make the tests pass' --tools read_file,edit_file,run_command --max-cost 0.25",
        "an agent in this folder, until it is done or has spent $0.25"},
    Example{"spoor run 'mend slug.sh' --tools edit_file --constraint 'scope: only src/' --enforce",
            "refuse calls that change files elsewhere, and inform the model"},
    Example{"spoor run 'what does parse() do?' --planner plan --tools read_file,grep",
            "a plan first, then its steps"},
};
constexpr std::array kResumeExamples = {
    Example{"spoor resume", "continue the newest run from its last finished step"},
    Example{"spoor resume 3f2a91c4 --approve", "make the call that waits"},
};

}  // namespace

extern const Command kRun{
    .name = "run",
    .summary = "Run an agent towards a goal; every step is committed",
    .options = kRunOptions,
    .run = run_run,
    .group = Group::write,
    .details =
        "Every thought, call, result and decision is committed as it happens. If the\n"
        "process is killed, the run is stored up to its last finished step, and 'spoor\n"
        "resume' continues it; 'spoor debrief' explains its reasons. It is recorded in your\n"
        "own store, which the agent's tools cannot reach, unless --store names another. A\n"
        "tool is only enabled by --tools. Tools work in --root. Commands of run_command are\n"
        "confined by the system: 'spoor version' prints how well this system can\n"
        "(docs/security.md). .git, hooks, CI files, shell startup files and spoor stores\n"
        "are write-protected unless --allow-write names them.\n"
        "\n"
        "The model is the setting 'model' unless named. Limits: 10 turns, 3 new plans, 3\n"
        "attempts with the critic; cost, tokens and time are not limited.",
    .examples = kRunExamples,
    .is_callable = false,
};
extern const Command kResume{
    .name = "resume",
    .summary = "Continue a run that stopped",
    .options = kResumeOptions,
    .run = run_resume,
    .group = Group::write,
    .details =
        "Replays the recorded steps without asking a model or running a tool. A call that\n"
        "was running when the process ended is not repeated unless it only reads or you give\n"
        "--again: the model is informed that its effect is unknown. A model and limits that\n"
        "you name replace those of the run.",
    .examples = kResumeExamples,
    .is_callable = false,
};

}  // namespace spoor::cli
