#include "agent/planner.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "agent/planners/loops.h"
#include "agent/planners/models.h"
#include "agent/planners/prompts.h"
#include "agent/runs.h"
#include "base/text.h"
#include "base/words.h"

namespace spoor::agent {
namespace {

using compile::Oid;
using planners::Context;
using planners::Ending;
using record::Recorder;

constexpr std::array<std::pair<Strategy, std::string_view>, 3> kStrategies = {{
    {Strategy::react, "react"},
    {Strategy::plan_and_execute, "plan_and_execute"},
    {Strategy::reflexion, "reflexion"},
}};
constexpr std::array<std::pair<RunEvent::Kind, std::string_view>, 10> kEvents = {{
    {RunEvent::Kind::started, "started"},
    {RunEvent::Kind::asking, "asking"},
    {RunEvent::Kind::said, "text"},
    {RunEvent::Kind::thought, "thinking"},
    {RunEvent::Kind::waiting, "waiting"},
    {RunEvent::Kind::calling, "call"},
    {RunEvent::Kind::printing, "output"},
    {RunEvent::Kind::observed, "result"},
    {RunEvent::Kind::warning, "warning"},
    {RunEvent::Kind::ended, "ended"},
}};
constexpr std::array<std::pair<Best::Verified, std::string_view>, 4> kVerified = {{
    {Best::Verified::check, "check"},
    {Best::Verified::tool, "tool"},
    {Best::Verified::rejected, "rejected"},
    {Best::Verified::nobody, "nobody"},
}};
constexpr std::array<std::pair<Calling, std::string_view>, 4> kCallings = {{
    {Calling::automatic, "automatic"},
    {Calling::native, "native"},
    {Calling::json, "json"},
    {Calling::text, "text"},
}};

Result<void> check_options(const RunOptions& options, std::string_view goal) {
  if (trimmed(goal).empty()) return invalid("the goal is empty", "give the goal: 'spoor run GOAL'");
  const auto negative = [](std::string_view name, std::int64_t value) {
    return invalid(fmt::format("{} cannot be {}", name, value), "give 0 or more");
  };
  if (options.max_steps < 0) return negative("max_steps", options.max_steps);
  if (options.max_replans < 0) return negative("max_replans", options.max_replans);
  if (options.max_outer_iterations < 0) {
    return negative("max_outer_iterations", options.max_outer_iterations);
  }
  if (options.budget.max_wall_time && options.budget.max_wall_time->count() < 0) {
    return invalid("max_wall_time cannot be negative", "give 0 or more");
  }
  if (options.max_tokens_per_call < 0) {
    return negative("max_tokens_per_call", options.max_tokens_per_call);
  }
  if (options.nudges_per_step < 0) return negative("nudges_per_step", options.nudges_per_step);
  return {};
}

// The planner of a run: a built-in one, or one of the program's own.
struct Way {
  Strategy strategy = Strategy::react;
  Planner* own = nullptr;

  std::string name() const { return own != nullptr ? own->name() : std::string(name_of(strategy)); }
};

// The objects that one run uses.
struct Stage {
  Registry no_tools;
  Catalogue catalogue;
  planners::Models models;
  Calling calling = Calling::json;
  llm::CostTracker own_tracker;
  llm::CostTracker* tracker = nullptr;
  llm::Spending mark;
};

Result<void> set_up(const llm::Candidate& llm, const RunOptions& options, Stage& stage) {
  if (llm.provider == nullptr) return invalid("no provider given");
  const Registry& registry = options.registry != nullptr ? *options.registry : stage.no_tools;
  stage.catalogue = TRY(discover_tools(registry, options.tools, options.tool_filter));
  stage.calling = planners::calling_of(options.calling, llm.provider->profile());
  stage.models = TRY(planners::prepare_models(llm, stage.catalogue, options, stage.calling));
  stage.tracker = options.tracker != nullptr ? options.tracker : &stage.own_tracker;
  stage.mark = stage.tracker->mark();
  return {};
}

// A recorded run, and the objects to replay it with.
struct Recorded {
  record::Recording recording;
  Way way;
  std::string goal;
  Stage stage;
};

Result<Way> way_of(const record::Recording& recording, const RunOptions& options) {
  const std::string& name = recording.header.planner;
  if (const auto strategy = strategy_from(name)) return Way{*strategy};
  if (options.planner != nullptr && options.planner->name() == name) {
    return Way{.own = options.planner};
  }
  return invalid(fmt::format("unknown planner '{}'", name),
                 "resume it with the program that has this planner, or install a newer version");
}

Result<void> set_up(std::string_view run, const llm::Candidate& llm, Session& session,
                    const RunOptions& options, Recorded& recorded) {
  TRY(check_options(options, run));
  recorded.recording = TRY(record::read_recording(session.repository(), std::string(run)));
  recorded.way = TRY(way_of(recorded.recording, options));
  recorded.goal = recorded.recording.header.goal;
  return set_up(llm, options, recorded.stage);
}

// Turns the events of a reply into events of the run.
llm::OnEvent told_on(const RunOptions& options) {
  if (!options.on_event) return {};
  return [&options](const llm::ReplyEvent& event) {
    using Kind = llm::ReplyEvent::Kind;
    RunEvent told{.text = event.text};
    switch (event.kind) {
      case Kind::text:
        told.kind = RunEvent::Kind::said;
        break;
      case Kind::reasoning:
        told.kind = RunEvent::Kind::thought;
        break;
      case Kind::waiting:
        told.kind = RunEvent::Kind::waiting;
        break;
      case Kind::call:
        return;  // Reported when it is made.
    }
    options.on_event(told);
  };
}

record::RecorderPorts ports_of(const RunOptions& options, const Stage& stage) {
  record::RecorderPorts ports;
  ports.generate.stream = options.stream;
  ports.generate.stop = options.stop;
  ports.generate.on_event = told_on(options);
  ports.generate.hooks = options.hooks;
  ports.generate.prices = options.prices;
  ports.generate.learned = options.learned;
  ports.generate.tracker = stage.tracker;
  return ports;
}

std::string system_prompt_of(const Way& way, const Stage& stage, const RunOptions& options) {
  if (way.own == nullptr) {
    return planners::build_system_prompt(way.strategy, stage.calling, stage.catalogue, options);
  }
  std::string tools;
  for (const auto& entry : stage.catalogue.entries) tools += planners::describe_tool(entry);
  std::string text = way.own->system_prompt(tools);
  if (!options.instructions.empty()) text += '\n' + options.instructions + '\n';
  return text;
}

Result<Ending> loop(const Way& way, Context& context, std::string_view goal) {
  if (way.own != nullptr) return planners::own_loop(context, *way.own, goal);
  switch (way.strategy) {
    case Strategy::react: {
      planners::StepCounter counter;
      return planners::react_loop(context, counter);
    }
    case Strategy::plan_and_execute:
      return planners::plan_loop(context);
    case Strategy::reflexion:
      return planners::reflexion_loop(context, goal);
  }
  return invalid("unknown strategy");
}

compile::Facts facts_of(const Ending& ending) {
  compile::Facts facts;
  facts.set(fact::stopped, name_of(ending.stopped));
  facts.set(fact::by, ending.by);
  if (!ending.limit.empty()) facts.set(fact::limit, ending.limit);
  if (!ending.spent.empty()) facts.set(fact::spent, ending.spent);
  return facts;
}

// Runs the loop and records the end of the run. An error of the store becomes an error of the run
// if it can still be written.
Result<PlanResult> finish(const Way& way, std::string_view goal, Recorder& recorder,
                          const Stage& stage, const RunOptions& options) {
  Context context(recorder, stage.catalogue, stage.models, options, stage.calling, *stage.tracker,
                  stage.mark);
  context.known().add_observation(recorder.observations());
  context.tell({.kind = RunEvent::Kind::started});
  for (const std::string& warning : stage.catalogue.warnings) context.warn(warning);
  for (const std::string& note : stage.models.notes) context.warn(note);
  auto ended = loop(way, context, goal);
  Ending ending;
  if (ended) {
    ending = std::move(*ended);
  } else {
    ending = {.stopped = Stopped::error,
              .by = "store",
              .answer = context.last_observation(),
              .error = ended.error().message};
    const bool was_stopped = ended.error().code == Error::Code::interrupted;
    if (was_stopped) {
      ending.stopped = Stopped::interrupted;
      ending.by = "interrupted";
      ending.error.clear();
    }
  }
  compile::Facts facts = facts_of(ending);
  if (!ended) facts.set(fact::cut_off, true);  // A tool may have run whose result is not recorded.
  const auto written =
      recorder.end({.answer = ending.answer, .error = ending.error, .rationale = ending.rationale},
                   std::move(facts));
  if (!ended && !written) return ended.error();
  if (!written) return written.error();

  PlanResult result = std::move(context.progress);
  result.answer = std::move(ending.answer);
  result.stopped = ending.stopped;
  result.by = std::move(ending.by);
  result.turns = recorder.last_step();
  if (!ending.error.empty()) result.error = std::move(ending.error);
  result.strategy = way.strategy;
  result.planner = way.name();
  result.rationale = std::move(ending.rationale);
  if (result.stopped != Stopped::goal_achieved) result.best = context.best();
  result.run = recorder.id();
  result.spent = stage.tracker->since(stage.mark);
  context.tell({.kind = RunEvent::Kind::ended, .text = name_of(result.stopped)});
  return result;
}

}  // namespace

std::string_view name_of(Strategy strategy) { return word_in(kStrategies, strategy); }

std::optional<Strategy> strategy_from(std::string_view name) { return value_in(kStrategies, name); }

std::string_view name_of(Calling calling) { return word_in(kCallings, calling); }

std::optional<Calling> calling_from(std::string_view name) { return value_in(kCallings, name); }

std::string_view name_of(RunEvent::Kind kind) { return word_in(kEvents, kind); }

std::string_view name_of(Best::Verified verified) { return word_in(kVerified, verified); }

namespace {

Result<PlanResult> begin_run(const Way& way, std::string_view goal, const llm::Candidate& llm,
                             Session& session, const RunOptions& options) {
  TRY(check_options(options, goal));
  Stage stage;
  TRY(set_up(llm, options, stage));
  const auto recorder = TRY(Recorder::start(
      session,
      {.goal = std::string(goal),
       .planner = way.name(),
       .options = write_options(way.name(), llm, session, stage.catalogue, options),
       .system = options.attempt_of ? std::string() : system_prompt_of(way, stage, options),
       .called_from = options.called_from,
       .attempt_of = options.attempt_of},
      ports_of(options, stage)));
  return finish(way, goal, *recorder, stage, options);
}

}  // namespace

Result<PlanResult> run(Strategy strategy, std::string_view goal, const llm::Candidate& llm,
                       Session& session, const RunOptions& options) {
  return begin_run({strategy}, goal, llm, session, options);
}

Result<PlanResult> run(Planner& planner, std::string_view goal, const llm::Candidate& llm,
                       Session& session, const RunOptions& options) {
  const std::string name = planner.name();
  if (!is_stop_reason(name) || strategy_from(name)) {
    return invalid(fmt::format("'{}' cannot be the name of a planner", name),
                   "use small letters, digits, '_' and '-', and no name of a built-in planner");
  }
  return begin_run({.own = &planner}, goal, llm, session, options);
}

Result<PlanResult> react(std::string_view goal, const llm::Candidate& llm, Session& session,
                         const RunOptions& options) {
  return run(Strategy::react, goal, llm, session, options);
}

Result<PlanResult> plan_and_execute(std::string_view goal, const llm::Candidate& llm,
                                    Session& session, const RunOptions& options) {
  return run(Strategy::plan_and_execute, goal, llm, session, options);
}

Result<PlanResult> reflexion(std::string_view goal, const llm::Candidate& llm, Session& session,
                             const RunOptions& options) {
  return run(Strategy::reflexion, goal, llm, session, options);
}

Result<PlanResult> resume(std::string_view run, const llm::Candidate& llm, Session& session,
                          const RunOptions& options, const ResumeOptions& how) {
  Recorded recorded;
  TRY(set_up(run, llm, session, options, recorded));
  auto& [recording, way, goal, stage] = recorded;
  const std::string kept = write_options(way.name(), llm, session, stage.catalogue, options);
  const auto recorder =
      TRY(Recorder::resume(session, std::move(recording), how, kept, ports_of(options, stage)));
  return finish(way, goal, *recorder, stage, options);
}

Result<ReplayResult> replay(std::string_view run, const llm::Candidate& llm, Session& session,
                            const RunOptions& options, record::AsRecorded as_recorded) {
  Recorded recorded;
  TRY(set_up(run, llm, session, options, recorded));
  auto& [recording, way, goal, stage] = recorded;
  record::Referee referee;
  record::RecorderPorts ports = ports_of(options, stage);
  ports.as_recorded = as_recorded;
  const std::string system =
      recording.header.attempt_of ? recording.header.system : system_prompt_of(way, stage, options);
  const auto recorder =
      TRY(Recorder::replay(session, std::move(recording), system, referee, std::move(ports)));
  ReplayResult replayed;
  auto result = finish(way, goal, *recorder, stage, options);
  if (result) {
    replayed.result = std::move(*result);
    replayed.is_whole = true;
    const bool ends_otherwise =
        std::any_of(referee.divergences().begin(), referee.divergences().end(),
                    [](const record::Divergence& divergence) { return divergence.what == "end"; });
    if (ends_otherwise) referee.compare(0, "error", "", replayed.result.error.value_or(""));
  } else if (result.error().code == Error::Code::conflict) {
    referee.compare(0, "course", result.error().message, "");
  } else if (result.error().code != Error::Code::interrupted) {
    return result.error();
  }
  replayed.divergences = referee.divergences();
  return replayed;
}

Result<PlanResult> replay_from(std::string_view run, std::int64_t from_step,
                               const llm::Candidate& llm, Session& session,
                               const RunOptions& options) {
  if (from_step < 1) return invalid("steps are numbered from 1", "give a step of the run");
  const std::string id(run);
  graph::Repository& repository = session.repository();
  Recorded recorded;
  TRY(set_up(run, llm, session, options, recorded));
  auto& [recording, way, goal, stage] = recorded;
  const std::int64_t last = recording.events.empty() ? 0 : recording.events.back().step;
  if (from_step > last + 1) {
    return invalid(fmt::format("the run {} has {} steps", id.substr(0, 8), last),
                   "use one of these steps, or the next one");
  }
  recording = record::before_step(std::move(recording), from_step);
  // If all earlier steps belong to another run, the new run continues that one.
  for (const Origin& origin : TRY(origins_of(repository, recording.header.root))) {
    if (from_step <= origin.from_step) recording.header.id = origin.run;
  }
  const Oid at = TRY(record::commit_before_step(repository, id, from_step));
  TRY(repository.create_branch(session.branch().name(), at));
  const std::string kept = write_options(way.name(), llm, session, stage.catalogue, options);
  const auto recorder =
      TRY(Recorder::fork(session, std::move(recording), from_step, kept,
                         system_prompt_of(way, stage, options), ports_of(options, stage)));
  return finish(way, goal, *recorder, stage, options);
}

}  // namespace spoor::agent
