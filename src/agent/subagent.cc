#include "agent/subagent.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "agent/record/answer_facts.h"
#include "agent/record/recording.h"
#include "agent/runs.h"
#include "base/json/reader.h"

namespace spoor::agent {
namespace {

constexpr const char* kParameters = R"({
  "type": "object",
  "properties": {"goal": {"type": "string", "minLength": 1,
                          "description": "what is to be reached, and all that has to be known for it"}},
  "required": ["goal"],
  "additionalProperties": false
})";
constexpr int kMost = 10'000;  // How many branch names are tried.

template <class T>
std::optional<T> less(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// The state shared by concurrent calls.
struct Subagents {
  SubagentSettings settings;
  std::mutex mutex;  // A branch name stays free until its run has begun.
};

Result<std::string> free_branch(const SubagentSettings& settings) {
  for (int n = 1; n <= kMost; ++n) {
    std::string name = fmt::format("{}-{}", settings.branch, n);
    if (!TRY(settings.repository->store().ref(store::branch_ref(name)))) return name;
  }
  return conflict(fmt::format("no branch '{}-N' is free", settings.branch));
}

void limit(Budget& budget, const Budget& rest) {
  budget.max_cost = less(budget.max_cost, rest.max_cost);
  budget.max_tokens = less(budget.max_tokens, rest.max_tokens);
  budget.max_wall_time = less(budget.max_wall_time, rest.max_wall_time);
}

// Passes an event of the agent to the calling run, under the agent's name.
void tell(const SubagentSettings& settings, const ToolContext& context, const std::string& run,
          const RunEvent& event) {
  if (!context.tell) return;
  RunEvent told = event;
  std::string agent = settings.id;
  if (!event.agent.empty()) agent.append("/").append(event.agent);
  told.agent = agent;
  if (told.run.empty()) told.run = run;
  context.tell(told);
}

// Returns the run that an earlier process began for this call.
Result<std::optional<RunName>> begun_before(const graph::Repository& repository,
                                            const CalledFrom& caller) {
  std::optional<RunName> found;
  for (RunName& run : TRY(called_by(repository, caller.run))) {
    const auto root = TRY(repository.reader().commit(run.root));
    const bool is_it = run.call == caller.call && root->about == std::vector{caller.answer};
    if (is_it) found = std::move(run);
  }
  return found;
}

// Returns the recorded end of a run, and books what it cost; nullopt if the run can go on.
Result<std::optional<PlanResult>> recorded_end(const graph::Repository& repository,
                                               const record::Recording& recording,
                                               llm::CostTracker* tracker) {
  const auto stopped = stopped_from(recording.ended.value_or(""));
  if (!stopped || stopped == Stopped::interrupted) return std::optional<PlanResult>();
  if (tracker != nullptr) TRY(record::book_all_again(repository, recording, *tracker));
  const compile::Turn end = TRY(graph::read_turn(repository.reader(), *recording.end));
  PlanResult result;
  result.run = recording.header.id;
  result.stopped = *stopped;
  result.by = recording.ended_by;
  if (!end.facts.get(fact::no_answer)) result.answer = end.text;
  if (!end.extra.message.empty()) result.error = end.extra.message;
  return std::optional(std::move(result));
}

Result<PlanResult> go_on(const SubagentSettings& settings, const RunName& begun, RunOptions options,
                         const ToolContext& context) {
  graph::Repository& repository = *settings.repository;
  const auto recording = TRY(record::read_recording(repository, begun.id));
  if (auto ended = TRY(recorded_end(repository, recording, options.tracker))) {
    return std::move(*ended);
  }
  // What this run has spent is booked again below, but its time has passed for the caller as well.
  Budget rest = context.budget;
  if (rest.max_wall_time) *rest.max_wall_time += recording.elapsed;
  Budget budget = options.budget;
  limit(budget, rest);
  TRY(read_options(recording.options, options));
  options.budget = budget;
  ResumeOptions how = *context.resumes;
  if (!TRY(record::waits(repository, recording))) how.approval.reset();
  Session session(repository, recording.header.session, TRY(session_options_of(recording.header)));
  return resume(begun.id, settings.llm, session, options, how);
}

Result<PlanResult> run_one(Subagents& subagents, const std::string& goal,
                           const ToolContext& context) {
  const SubagentSettings& settings = subagents.settings;
  RunOptions options = settings.options;
  if (settings.prepare) settings.prepare(options);
  options.stop = context.stop;
  options.called_from = context.caller;
  if (context.tracker != nullptr) options.tracker = context.tracker;
  std::unique_lock lock(subagents.mutex);
  std::string id;
  const auto told = options.on_event;
  options.on_event = [&](const RunEvent& event) {
    if (event.kind == RunEvent::Kind::started) {
      id = event.run;
      if (lock.owns_lock()) lock.unlock();
    }
    if (told) told(event);
    tell(settings, context, id, event);
  };
  if (context.resumes && context.caller) {
    const auto begun = TRY(begun_before(*settings.repository, *context.caller));
    if (begun) return go_on(settings, *begun, std::move(options), context);
  }
  limit(options.budget, context.budget);
  Session session(*settings.repository, TRY(free_branch(settings)),
                  {.principal = settings.principal});
  return run(settings.strategy, goal, settings.llm, session, options);
}

ToolResult result_of(const std::string& agent, const Result<PlanResult>& run) {
  if (!run) return failed(run.error().message);
  ToolResult result;
  if (run->stopped == Stopped::interrupted) {
    result.unfinished = {.waits_for = {}, .waits_with = run->waits_with, .subrun = run->run};
    if (!run->waits_for.empty()) result.unfinished->waits_for = agent + ": " + run->waits_for;
  }
  if (run->stopped == Stopped::goal_achieved) {
    result.text = run->answer.value_or("");
  } else {
    result.is_error = true;
    result.text = fmt::format("it stopped: {}{}{}", name_of(run->stopped),
                              run->error ? ", " + *run->error : "",
                              run->answer ? "; the last it saw: " + *run->answer : "");
  }
  result.facts.set(fact::subrun, run->run);
  result.facts.set(fact::stopped, name_of(run->stopped));
  return result;
}

}  // namespace

Tool make_subagent(SubagentSettings settings) {
  Tool tool;
  tool.id = settings.id;
  tool.description = settings.description;
  tool.parameters = kParameters;
  tool.tags = {"agent"};
  tool.continues = true;
  const auto subagents = std::make_shared<Subagents>();  // Shared by the copies of the tool.
  subagents->settings = std::move(settings);
  tool.run = [subagents](std::string_view arguments, const ToolContext& context) {
    const auto document = json::parse(arguments);
    if (!document) return failed(document.error().message);
    return result_of(subagents->settings.id,
                     run_one(*subagents, document->root().find("goal").text(), context));
  };
  return tool;
}

}  // namespace spoor::agent
