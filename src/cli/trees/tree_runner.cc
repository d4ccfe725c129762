#include "cli/trees/tree_runner.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/json/writer.h"
#include "cli/agents/ask_person.h"
#include "cli/agents/run_flags.h"
#include "cli/agents/run_lock.h"
#include "cli/agents/run_printer.h"
#include "cli/models/stop_on_interrupt.h"
#include "cli/settings/store_path.h"
#include "cli/trees/root_copy.h"
#include "cli/views/times.h"

namespace spoor::cli {

using attempts::Answers;
using attempts::Attempt;
using attempts::Limits;
using attempts::State;

namespace {

// Amounts that count towards the limits of a tree.
struct Spent {
  llm::Money cost;
  std::uint64_t tokens = 0;
  std::int64_t steps = 0;

  void add(const Spent& other) {
    cost += other.cost;
    tokens += other.tokens;
    steps += other.steps;
  }

  // Returns the name of a limit that is reached; empty: none.
  std::string reached(const Limits& limits) const {
    if (limits.max_cost && cost >= *limits.max_cost) return "max-cost";
    if (limits.max_tokens && tokens >= *limits.max_tokens) return "max-tokens";
    if (limits.max_steps && steps >= *limits.max_steps) return "max-steps";
    return {};
  }
};

Spent spent_by(const Attempt& attempt) {
  return {attempt.cost(), attempt.tokens(), static_cast<std::int64_t>(attempt.steps)};
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

}  // namespace

// The spending of attempts that run at the same time. Thread-safe.
class TreeRunner::Ledger {
 public:
  explicit Ledger(const Limits& limits) : limits_(limits) {}

  // Sets what an attempt has spent so far, with its earlier processes.
  void set(std::int64_t number, const Spent& spent) {
    const std::scoped_lock lock(mutex_);
    spent_[number] = spent;
  }

  bool is_reached() const {
    const std::scoped_lock lock(mutex_);
    Spent all;
    for (const auto& [number, spent] : spent_) all.add(spent);
    return !all.reached(limits_).empty();
  }

 private:
  const Limits limits_;
  mutable std::mutex mutex_;
  std::map<std::int64_t, Spent> spent_;  // Guarded by mutex_.
};

// One attempt under way, and all that it uses.
struct TreeRunner::Job {
  Job(const TreeRunner& of, Attempt which)
      : runner(of), attempt(std::move(which)), lock(of.workspace_.files()) {}

  Result<agent::PlanResult> work() {
    const llm::Candidate model = setup->candidate();
    if (attempt.run) return agent::resume(attempt.run->id, model, *session, options, {});
    return agent::run(agent::Strategy::react, runner.tree_.plan.goal, model, *session, options);
  }

  const TreeRunner& runner;
  const Attempt attempt;
  RunLock lock;
  std::unique_ptr<AgentSetup> setup;
  agent::Registry registry;
  std::unique_ptr<attempts::RecordedTools> recorded;  // Null: live tools.
  llm::CostTracker tracker;
  std::int64_t boundaries = 0;  // Steps begun in this process.
  agent::RunOptions options;
  std::optional<agent::Session> session;
  std::optional<Result<agent::PlanResult>> result;
  std::jthread thread;  // Last, so that it ends before the members it uses.
};

TreeRunner::TreeRunner(Session& session, Workspace& workspace, const attempts::Tree& tree,
                       const Limits& limits, const llm::PriceList& prices)
    : session_(session),
      workspace_(workspace),
      tree_(tree),
      limits_(limits),
      prices_(prices),
      resume_(session.typed("fork --resume " + tree.id.substr(0, 8))),
      judging_(session, workspace) {}

TreeRunner::~TreeRunner() = default;

Result<void> TreeRunner::read_attempts() {
  attempts_ = TRY(attempts::attempts_of(repository(), tree_, &prices_));
  judgements_ = TRY(guard::check::read_evaluations(repository()));
  return {};
}

std::string TreeRunner::reached() const {
  Spent all;
  for (const Attempt& each : attempts_) all.add(spent_by(each));
  return all.reached(limits_);
}

// Returns the folder of an attempt's tools and tests. Live tools of each attempt work in a copy of
// the root, since one attempt must not see what another has done.
Result<std::string> TreeRunner::folder_of(const Attempt& attempt) const {
  if (!is_live()) return session_.environment().directory();
  return fmt::format("{}/trees/{}/{}", TRY(require_state_home(session_.environment())), tree_.id,
                     attempt.number);
}

Result<ToolSettings> TreeRunner::live_tools(const Attempt& attempt, ToolSettings& kept) {
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
  kept = tools;
  tools.root = copy;
  map_paths(tools.extra, from_kept);
  return tools;
}

Result<std::unique_ptr<AgentSetup>> TreeRunner::open_setup(const Attempt& attempt,
                                                           ToolSettings& kept) {
  ToolSettings tools;
  if (is_live()) {
    tools = TRY(live_tools(attempt, kept));
  } else {
    tools.root = session_.environment().directory();
    kept.attempt_of = tree_.id;
    kept.extra.defined = tree_.plan.tools;
  }
  TRY(keep_capture(session_, kept));
  return AgentSetup::open(session_, tools, {attempt.model});
}

Result<const attempts::RecordedResults*> TreeRunner::results() {
  if (!results_) {
    results_.emplace();
    if (tree_.plan.answers == Answers::recorded && tree_.plan.line) {
      results_ = TRY(attempts::recorded_results(repository(), tree_.plan.base, *tree_.plan.line));
    }
  }
  return &*results_;
}

Result<std::unique_ptr<TreeRunner::Job>> TreeRunner::prepare(const Attempt& attempt) {
  auto job = std::make_unique<Job>(*this, attempt);
  TRY(job->lock.take_branch(attempt.branch));
  if (!TRY(repository().store().ref(store::branch_ref(attempt.branch)))) {  // Of another store.
    TRY(repository().create_branch(attempt.branch, attempt.run ? attempt.run->head : tree_.commit));
  }
  ToolSettings kept;
  job->setup = TRY(open_setup(attempt, kept));
  agent::RunOptions& options = job->options;
  TRY(agent::read_options(tree_.plan.options, options));
  options.tools = agent::AllTools{};
  options.attempt_of = agent::AttemptOf{tree_.id, attempt.number, tree_.plan.observations};
  options.tracker = &job->tracker;
  job->setup->give(options, kept);
  if (!is_live()) {
    job->recorded = std::make_unique<attempts::RecordedTools>(repository(), *TRY(results()),
                                                              tree_.plan.answers);
    TRY(job->recorded->make(tree_.plan.tools, job->registry));
    options.registry = &job->registry;
    options.gate = job->recorded.get();
    options.until = [&tools = *job->recorded](const agent::PlanResult&) { return tools.stop(); };
  }
  agent::Session::Options where;
  const std::int64_t window = tree_.plan.window_tokens;
  where.window_tokens = window > 0 ? window : job->setup->window_tokens();
  job->session.emplace(repository(), attempt.branch, where);
  return job;
}

void TreeRunner::print_begin(const Attempt& attempt, const char* after) {
  session_.err().print(Style::strong, attempt.branch);
  session_.err().print(fmt::format(": attempt {} of {}, {}{}", attempt.number, attempts_.size(),
                                   attempt.model, after));
}

// Runs an attempt with its events and questions at the terminal.
Result<agent::PlanResult> TreeRunner::run_shown_to_person(Job& job) {
  Spent others;
  for (const Attempt& each : attempts_) {
    if (each.number != job.attempt.number) others.add(spent_by(each));
  }
  limit(job.options, limits_, others);
  RunPrinter printer(session_);
  AskPerson ask(session_, job.setup->root(),
                session_.can_ask() ? WhoAnswers::person : WhoAnswers::no_one);
  const RunView view{.take = [&](const agent::RunEvent& event) { printer.take(event); },
                     .finish = [&] { printer.finish(); }};
  return run_live(*job.setup, job.lock, job.options, ask, view, [&] { return job.work(); });
}

// Takes what an attempt came to: prints it, and judges it.
Result<void> TreeRunner::take(const Job& job, const agent::PlanResult& result) {
  auto& attempt = attempts_[static_cast<std::size_t>(job.attempt.number - 1)];
  attempt = TRY(attempts::attempt_of(repository(), tree_, attempt.number, &prices_));
  const std::string how =
      result.stopped == agent::Stopped::planner ? result.by : std::string(name_of(result.stopped));
  Output& err = session_.err();
  err.print(Style::muted, fmt::format("{}, {}", how, took(result))).newline().flush();
  if (!result.waits_for.empty()) {
    waits_ =
        interrupted(fmt::format("the attempt waits for approval of '{}'", result.waits_for),
                    fmt::format("answer with 'spoor resume {} --approve' or '--deny', then '{}'",
                                result.run.substr(0, 8), resume_));
  } else if (result.stopped == agent::Stopped::interrupted) {
    waits_ = interrupted("interrupted", fmt::format("go on with '{}'", resume_));
  }
  if (result.error) {
    ++failed_;
    err.print(Style::error, "error").print(": " + *result.error).newline().flush();
  }
  const bool is_to_judge = attempt.state == State::ended &&
                           attempts::lacks_judgement(attempt, judgements_, tree_.plan.expects);
  return is_to_judge ? judge(attempt, tree_.plan.expects) : Result<void>();
}

Result<void> TreeRunner::run_in_order() {
  for (std::size_t i = 0; i < attempts_.size() && !waits_; ++i) {
    if (!attempts_[i].is_due()) continue;
    if (!reached().empty()) return {};
    print_begin(attempts_[i], "\n");
    session_.err().flush();
    const auto job = TRY(prepare(attempts_[i]));
    TRY(take(*job, TRY(run_shown_to_person(*job))));
  }
  return {};
}

Result<void> TreeRunner::run_side_by_side(std::size_t parallel) {
  Ledger ledger(limits_);
  for (const Attempt& each : attempts_) ledger.set(each.number, spent_by(each));
  const StopOnInterrupt interrupt;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job*> done;  // Guarded by `mutex`.
  std::map<Job*, std::unique_ptr<Job>> running;
  std::size_t next = 0;
  Result<void> problem;
  const auto begin = [&](const Attempt& attempt) -> Result<void> {
    auto job = TRY(prepare(attempt));
    Job* const made = job.get();
    made->options.stop = interrupt.token();
    made->options.until = [&ledger, made](const agent::PlanResult&) -> std::optional<agent::Stop> {
      if (made->recorded) {
        if (auto stop = made->recorded->stop()) return stop;
      }
      const llm::Spending spent = made->tracker.total();
      const auto before = static_cast<std::int64_t>(made->attempt.steps);
      ledger.set(made->attempt.number, {spent.cost, spent.tokens(), before + made->boundaries++});
      if (!ledger.is_reached()) return std::nullopt;
      return agent::Stop{.reason = std::string(attempts::kTreeLimit), .achieves_goal = false};
    };
    made->options.on_event = [made](const agent::RunEvent& event) {
      if (event.kind == agent::RunEvent::Kind::started) {
        (void)made->lock.take_run(std::string(event.run));
      }
    };
    running.emplace(made, std::move(job));
    made->thread = std::jthread([&mutex, &changed, &done, made] {
      made->result = made->work();
      const std::scoped_lock lock(mutex);
      done.push_back(made);
      changed.notify_one();
    });
    return {};
  };
  while (true) {
    while (problem && !waits_ && running.size() < parallel && next < attempts_.size()) {
      if (attempts_[next].is_due()) {
        if (ledger.is_reached() || interrupt.token().stop_requested()) break;
        problem = begin(attempts_[next]);
      }
      ++next;
    }
    if (running.empty()) return problem;
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !done.empty(); });
    Job* const ended = done.front();
    done.pop_front();
    lock.unlock();
    ended->thread.join();
    if (*ended->result) {
      for (const std::string& warning : (*ended->result)->warnings) {
        session_.err().print(Style::warning, "warning").print(": " + warning).newline();
      }
    }
    print_begin(ended->attempt, ": ");
    if (!*ended->result) {
      session_.err().print(ended->result->error().message).newline().flush();
      problem = ended->result->error();
    } else if (auto taken = take(*ended, **ended->result); !taken) {
      problem = taken;
    }
    running.erase(ended);
  }
}

Error TreeRunner::limit_error(const std::string& limit) const {
  const auto ended = std::ranges::count(attempts_, State::ended, &Attempt::state);
  return interrupted(fmt::format("the tree reached --{}: {} of {} attempts have ended", limit,
                                 ended, attempts_.size()),
                     fmt::format("go on with '{} --{} MORE'", resume_, limit));
}

// Returns why the tree is not complete, if it is not.
Result<void> TreeRunner::outcome() const {
  if (waits_) return *waits_;
  if (failed_ > 0) {
    return unavailable(fmt::format("{} ended with an error", counted(failed_, "attempt")),
                       fmt::format("try them again with '{}'", resume_));
  }
  if (!std::ranges::any_of(attempts_, &Attempt::is_due)) return {};
  const std::string limit = reached();
  if (!limit.empty()) return limit_error(limit);
  return interrupted("some attempts have not ended", fmt::format("go on with '{}'", resume_));
}

// Judges attempts that ended in an earlier process.
Result<void> TreeRunner::judge_ended() {
  for (const Attempt& attempt : attempts_) {
    const bool is_to_judge = attempt.state == State::ended &&
                             attempts::lacks_judgement(attempt, judgements_, tree_.plan.expects);
    if (is_to_judge) TRY(judge(attempt, tree_.plan.expects));
  }
  return {};
}

Result<void> TreeRunner::run(std::size_t parallel) {
  RunLock lock(workspace_.files());
  TRY(lock.take_branch("tree/" + tree_.id));
  TRY(read_attempts());
  TRY(judge_ended());
  TRY(parallel > 1 ? run_side_by_side(parallel) : run_in_order());
  return outcome();
}

Result<void> TreeRunner::judge(const Attempt& attempt, const attempts::Expectation& expects) {
  const attempts::Verdict verdict =
      TRY(judging_.judge(tree_, attempt, expects, TRY(folder_of(attempt)), judgements_));
  const Style style = verdict == attempts::Verdict::pass   ? Style::added
                      : verdict == attempts::Verdict::fail ? Style::error
                                                           : Style::muted;
  session_.err().print(attempt.branch + ": ").print(style, name_of(verdict));
  const std::string why = attempts::why_unknown(attempt, judgements_);
  if (!why.empty()) session_.err().print(" (" + why + ")");
  session_.err().newline().flush();
  return {};
}

Result<std::size_t> TreeRunner::judge_all(const attempts::Expectation& expects, bool again) {
  TRY(read_attempts());
  std::size_t judged = 0;
  for (const Attempt& attempt : attempts_) {
    if (attempt.state != State::ended) continue;
    if (!again && !attempts::is_judged_otherwise(attempt, judgements_, expects)) continue;
    TRY(judge(attempt, expects));
    ++judged;
  }
  return judged;
}

}  // namespace spoor::cli
