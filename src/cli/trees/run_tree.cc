#include "cli/trees/run_tree.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "agent/planner.h"
#include "api/command.h"
#include "attempts/recorded_tools.h"
#include "base/json/writer.h"
#include "cli/agents/run_flags.h"
#include "cli/agents/run_printer.h"
#include "cli/commands.h"
#include "cli/prices.h"
#include "cli/store_path.h"
#include "cli/times.h"
#include "cli/trees/judging.h"
#include "cli/trees/root_copy.h"
#include "llm/tool_spec.h"
#include "trace/deriver.h"

namespace spoor::cli {
namespace {

using attempts::Answers;
using attempts::Attempt;
using attempts::Limits;
using attempts::State;
using attempts::Tree;
using store::Oid;

// The amounts that all attempts but one have spent.
struct Spent {
  llm::Money cost;
  std::uint64_t tokens = 0;
  std::int64_t steps = 0;

  void add(const Attempt& attempt) {
    cost += attempt.cost();
    tokens += attempt.tokens();
    steps += static_cast<std::int64_t>(attempt.steps);
  }
};

Spent spent_by_others(const std::vector<Attempt>& attempts, std::int64_t number) {
  Spent spent;
  for (const Attempt& each : attempts) {
    if (each.number != number) spent.add(each);
  }
  return spent;
}

// Returns the name of the limit that all attempts have reached together; empty: none.
std::string reached(const std::vector<Attempt>& attempts, const Limits& limits) {
  const Spent spent = spent_by_others(attempts, 0);
  if (limits.max_cost && spent.cost >= *limits.max_cost) return "max-cost";
  if (limits.max_tokens && spent.tokens >= *limits.max_tokens) return "max-tokens";
  if (limits.max_steps && spent.steps >= *limits.max_steps) return "max-steps";
  return {};
}

// Sets the part of the tree's limits that is left for one attempt.
void limit(agent::RunOptions& options, const Limits& limits, const Spent& others) {
  options.budget = {};
  if (limits.max_cost) {
    options.budget.max_cost = std::max(llm::Money(), *limits.max_cost - others.cost);
  }
  if (limits.max_tokens) {
    options.budget.max_tokens = *limits.max_tokens - std::min(*limits.max_tokens, others.tokens);
  }
  if (limits.max_steps) {
    const std::int64_t left = std::max<std::int64_t>(0, *limits.max_steps - others.steps);
    options.max_steps = std::min(options.max_steps, left);
  }
}

std::string wire_name(std::string id) {
  std::replace(id.begin(), id.end(), '.', '_');
  return id;
}

// Runs the attempts of one tree.
class TreeRunner {
 public:
  TreeRunner(Session& session, Workspace& workspace, const Tree& tree)
      : session_(session), workspace_(workspace), tree_(tree), judging_(session, workspace) {}

  // Whether nothing but the tree's own limit keeps the attempt from its end.
  static bool is_due(const Attempt& attempt) {
    return attempt.state == State::waiting || attempt.state == State::unfinished;
  }

  Result<agent::PlanResult> run(const Attempt& attempt, const Limits& limits, const Spent& others) {
    AgentSetup& setup = *TRY(setup_of(attempt));
    agent::RunOptions options;
    TRY(agent::read_options(tree_.plan.options, options));
    options.tools = agent::AllTools{};
    options.attempt_of = agent::AttemptOf{tree_.id, attempt.number, tree_.plan.observations};
    setup.give(options, settings_);
    agent::Registry registry;
    attempts::RecordedTools recorded(repository(), *TRY(results()), tree_.plan.answers);
    if (tree_.plan.answers != Answers::live) {
      TRY(recorded.make(tree_.plan.tools, registry));
      options.registry = &registry;
      options.gate = &recorded;
      options.until = [&](const agent::PlanResult&) { return recorded.stop(); };
    }
    limit(options, limits, others);
    agent::Session::Options where;
    where.window_tokens =
        tree_.plan.window_tokens > 0 ? tree_.plan.window_tokens : setup.window_tokens();
    agent::Session agent_session(repository(), attempt.branch, where);
    RunLock lock(workspace_.files());
    TRY(lock.take_branch(attempt.branch));
    RunPrinter printer(session_);
    AskPerson ask(session_, setup.root(),
                  session_.can_ask() ? WhoAnswers::person : WhoAnswers::no_one);
    const RunView view{.take = [&](const agent::RunEvent& event) { printer.take(event); },
                       .finish = [&] { printer.finish(); }};
    return run_live(setup, lock, options, ask, view, [&]() -> Result<agent::PlanResult> {
      if (attempt.run) {
        return agent::resume(attempt.run->id, setup.candidate(), agent_session, options, {});
      }
      return agent::run(agent::Strategy::react, tree_.plan.goal, setup.candidate(), agent_session,
                        options);
    });
  }

  Result<void> judge(const Attempt& attempt, const attempts::Expectation& expects,
                     attempts::Judgements& known) {
    const attempts::Verdict verdict =
        TRY(judging_.judge(tree_, attempt, expects, TRY(folder_of(attempt)), known));
    const Style style = verdict == attempts::Verdict::pass   ? Style::added
                        : verdict == attempts::Verdict::fail ? Style::error
                                                             : Style::muted;
    session_.err().print(attempt.branch + ": ").print(style, name_of(verdict)).newline().flush();
    return {};
  }

 private:
  graph::Repository& repository() const { return workspace_.repository(); }

  bool is_live() const { return tree_.plan.answers == Answers::live; }

  // Returns the folder of an attempt's tools and tests. Live tools of each attempt work in a copy
  // of the root, since one attempt must not see what another has done.
  Result<std::string> folder_of(const Attempt& attempt) const {
    if (!is_live()) return session_.environment().directory();
    return fmt::format("{}/trees/{}/{}", TRY(require_state_home(session_.environment())), tree_.id,
                       attempt.number);
  }

  Result<ToolSettings> live_tools(const Attempt& attempt) {
    auto tools = TRY(read_tool_settings(json::write_object("caller", tree_.plan.settings)));
    const auto from_kept = [&](const std::string& path) {
      return root_from_kept(path, workspace_.path(), session_.environment());
    };
    const std::string copy = TRY(folder_of(attempt));
    const std::string root = from_kept(tools.root);
    TRY(copy_root(root, copy, workspace_.files()));
    session_.err().print(Style::muted, fmt::format("in {}, a copy of {}", copy, root));
    session_.err().newline().flush();
    tools.root = root_to_keep(copy, workspace_.path(), session_.environment());
    settings_ = tools;
    tools.root = copy;
    map_paths(tools.extra, from_kept);
    return tools;
  }

  Result<AgentSetup*> setup_of(const Attempt& attempt) {
    const std::string& name = is_live() ? attempt.branch : attempt.model;
    auto found = setups_.find(name);
    if (found != setups_.end()) return found->second.get();
    ToolSettings tools;
    if (is_live()) {
      setups_.clear();
      tools = TRY(live_tools(attempt));
    } else {
      tools.root = session_.environment().directory();
      settings_ = {};
      settings_.attempt_of = tree_.id;
      settings_.extra.defined = tree_.plan.tools;
    }
    TRY(keep_capture(session_, settings_));
    auto setup = TRY(AgentSetup::open(session_, tools, {attempt.model}));
    return setups_.emplace(name, std::move(setup)).first->second.get();
  }

  Result<const attempts::RecordedResults*> results() {
    if (!results_) {
      results_.emplace();
      if (tree_.plan.answers == Answers::recorded && tree_.plan.line) {
        results_ = TRY(attempts::recorded_results(repository(), tree_.plan.base, *tree_.plan.line));
      }
    }
    return &*results_;
  }

  Session& session_;
  Workspace& workspace_;
  const Tree& tree_;
  Judging judging_;
  ToolSettings settings_;  // As recorded with the runs.
  std::map<std::string, std::unique_ptr<AgentSetup>> setups_;
  std::optional<attempts::RecordedResults> results_;
};

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

std::string short_tree(const Tree& tree) { return tree.id.substr(0, 8); }

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

Result<void> run_tree(Session& session, const Tree& tree, const Limits& limits) {
  TRY(session.require_trust());
  Workspace& workspace = *TRY(session.workspace());
  const llm::PriceList prices(TRY(read_prices(session.environment())));
  const graph::Repository& repository = workspace.repository();
  RunLock lock(workspace.files());
  TRY(lock.take_branch("tree/" + tree.id));
  std::vector<Attempt> attempts = TRY(attempts::attempts_of(repository, tree, &prices));
  auto judgements = TRY(guard::check::read_evaluations(repository));
  TreeRunner runner(session, workspace, tree);
  Output& err = session.err();
  const std::string resume = session.typed("fork --resume " + short_tree(tree));
  std::size_t failed = 0;
  for (Attempt& attempt : attempts) {
    if (TreeRunner::is_due(attempt)) {
      const std::string limit = reached(attempts, limits);
      if (!limit.empty()) {
        const auto ended = std::ranges::count(attempts, State::ended, &Attempt::state);
        return interrupted(fmt::format("the tree reached --{}: {} of {} attempts have ended", limit,
                                       ended, attempts.size()),
                           fmt::format("go on with '{} --{} MORE'", resume, limit));
      }
      err.print(Style::strong, attempt.branch);
      err.print(fmt::format(": attempt {} of {}, {}\n", attempt.number, attempts.size(),
                            attempt.model))
          .flush();
      const auto result =
          TRY(runner.run(attempt, limits, spent_by_others(attempts, attempt.number)));
      attempt = TRY(attempts::attempt_of(repository, tree, attempt.number, &prices));
      const bool is_stopped = result.stopped == agent::Stopped::interrupted;
      err.print(Style::muted, fmt::format("{}, {}",
                                          result.stopped == agent::Stopped::planner
                                              ? result.by
                                              : std::string(name_of(result.stopped)),
                                          took(result)))
          .newline()
          .flush();
      if (is_stopped && !result.waits_for.empty()) {
        return interrupted(
            fmt::format("the attempt waits for approval of '{}'", result.waits_for),
            fmt::format("answer with 'spoor resume {} --approve' or '--deny', then '{}'",
                        result.run.substr(0, 8), resume));
      }
      if (is_stopped) {
        return interrupted("interrupted", fmt::format("go on with '{}'", resume));
      }
      if (result.error) {
        ++failed;
        err.print(Style::error, "error").print(": " + *result.error).newline().flush();
      }
    }
    if (attempt.state != State::ended || tree.plan.expects.empty()) continue;
    if (!attempts::lacks_judgement(attempt, judgements, tree.plan.expects)) continue;
    TRY(runner.judge(attempt, tree.plan.expects, judgements));
  }
  const bool is_cut = std::ranges::any_of(attempts, TreeRunner::is_due);
  if (failed > 0) {
    return unavailable(fmt::format("{} ended with an error", counted(failed, "attempt")),
                       fmt::format("try them again with '{}'", resume));
  }
  if (is_cut) {
    const std::string limit = reached(attempts, limits);
    return interrupted(fmt::format("the tree reached --{}", limit.empty() ? "max-tokens" : limit),
                       fmt::format("go on with '{}' and a higher limit", resume));
  }
  return {};
}

Result<std::size_t> judge_tree(Session& session, const Tree& tree,
                               const attempts::Expectation& expects, bool again) {
  Workspace& workspace = *TRY(session.workspace());
  const graph::Repository& repository = workspace.repository();
  TreeRunner runner(session, workspace, tree);
  auto judgements = TRY(guard::check::read_evaluations(repository));
  std::size_t judged = 0;
  for (const Attempt& attempt : TRY(attempts::attempts_of(repository, tree, nullptr))) {
    if (attempt.state != State::ended) continue;
    if (!again && !attempts::lacks_judgement(attempt, judgements, expects)) continue;
    TRY(runner.judge(attempt, expects, judgements));
    ++judged;
  }
  return judged;
}

Result<void> print_trees(Session& session, Arguments trees, bool as_json) {
  if (as_json) trees.add("--json", "");
  return find_command("compare")->run(session, trees);
}

}  // namespace spoor::cli
