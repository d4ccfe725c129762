#include "agent/planners/context.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "agent/dispatch.h"
#include "agent/registry.h"
#include "base/json/writer.h"

namespace spoor::agent::planners {
namespace {

using compile::Oid;
using record::Observed;
using Approval = record::Recorder::Approval;

constexpr std::size_t kSideBySide = 8;  // Threads at once.

constexpr const char* kByGate = "gate";

// Returns a result as the model and the steps see it.
std::string shown(const ToolResult& result) {
  return result.is_error ? "error: " + result.text : result.text;
}

std::string json_of(const ToolResult& result) {
  if (result.is_json && !result.is_error) return result.text;
  return json::write_string(shown(result));
}

// Returns a refusal to record: the result for the model, with a decision.
ToolResult blocked(const Gate::Verdict& verdict, const Call& call) {
  ToolResult refusal = failed(verdict.why);
  Decision decision{.word = "blocked", .text = verdict.why, .facts = {}, .about = {}};
  decision.facts.set(fact::call, call.number);
  if (is_tool_id(call.tool)) decision.facts.set(fact::tool, call.tool);
  if (!verdict.rule.empty()) {
    decision.facts.set(fact::rule, verdict.rule);
    refusal.facts.set(fact::rule, verdict.rule);
  }
  refusal.decisions.push_back(std::move(decision));
  return refusal;
}

ToolResult denied_by_person(const std::string& reason) {
  ToolResult refusal = failed("a person refused this call" + (reason.empty() ? "" : ": " + reason));
  refusal.facts.set(fact::refused_by, "person");
  return refusal;
}

}  // namespace

Context::Context(record::Recorder& recorder, const Catalogue& catalogue, const Models& models,
                 const RunOptions& options, Calling calling, llm::CostTracker& tracker,
                 const llm::Spending& mark)
    : recorder_(recorder),
      catalogue_(catalogue),
      models_(models),
      options_(options),
      calling_(calling),
      tracker_(tracker),
      mark_(mark) {}

void Context::tell(RunEvent event) const {
  if (!options_.on_event) return;
  event.run = recorder_.id();
  options_.on_event(event);
}

void Context::warn(std::string text) {
  tell({.kind = RunEvent::Kind::warning, .text = text});
  progress.warnings.push_back(std::move(text));
}

void Context::begin_part() {
  progress.steps.clear();
  last_observation_.reset();
}

std::optional<Ending> Context::must_end() {
  if (recorder_.is_replaying()) return std::nullopt;
  if (options_.stop.stop_requested()) {
    return interrupted("interrupted");
  }
  const llm::Spending spent = tracker_.since(mark_);
  warn_of_unknown_cost(spent);
  if (auto ending = limit_reached(recorder_.elapsed())) return ending;
  const auto stop = options_.until ? options_.until(progress) : std::nullopt;
  return stop ? std::optional(ended_by(*stop)) : std::nullopt;
}

// A limit of dollars needs a price: says so before the first answer is paid for.
void Context::warn_of_unknown_cost(const llm::Spending& spent) {
  if (!options_.budget.max_cost || has_warned_of_cost_) return;
  const llm::Candidate& first = models_.with_tools.front();
  const bool has_price =
      options_.prices != nullptr &&
      options_.prices->find(first.provider->profile().name, first.model) != nullptr;
  if (has_price && spent.unknown_costs == 0) return;
  has_warned_of_cost_ = true;
  warn(has_price
           ? "the cost of an answer is unknown, so the run may exceed the cost limit unnoticed"
           : fmt::format("the price of '{}' is unknown, so the run may exceed the cost limit "
                         "unnoticed",
                         first.model));
}

std::optional<Ending> Context::limit_reached(std::chrono::microseconds elapsed) const {
  const auto reached = check(options_.budget, tracker_.since(mark_), elapsed);
  if (!reached) return std::nullopt;
  return Ending{.stopped = reached->stopped,
                .by = std::string(name_of(reached->stopped)),
                .answer = last_observation_,
                .limit = reached->limit,
                .spent = reached->spent};
}

Result<std::optional<Ending>> Context::recorded_ending() {
  if (recorder_.is_under_new_limits()) return std::optional<Ending>();
  const auto facts = TRY(recorder_.recorded_end_of_part());
  if (!facts) return std::optional<Ending>();
  const auto stopped = stopped_from(facts->get(fact::stopped));
  if (!stopped) return std::optional<Ending>();
  return std::optional(
      Ending{.stopped = *stopped, .by = facts->get(fact::by), .answer = last_observation_});
}

// Returns the refusal of a call before it runs, except by a person. `known`: what the model knew.
std::optional<ToolResult> Context::refused(const Call& call, const KnownRefs& known) const {
  const auto by = [](std::string_view who, ToolResult refusal) {
    refusal.facts.set(fact::refused_by, who);
    return refusal;
  };
  if (!call.problem.empty()) return by("tools", failed(call.problem));
  if (auto refusal = refusal_of(catalogue_, call.tool, call.arguments)) {
    return by("tools", std::move(*refusal));
  }
  if (options_.strict_refs && call.rationale != nullptr) {
    const auto unknown = known.unknown(*call.rationale);
    if (!unknown.empty()) {
      return by("reasons", failed(fmt::format("the reason cites '{}', which is not in this run",
                                              unknown.front())));
    }
  }
  if (options_.gate != nullptr) {
    const auto verdict = options_.gate->before(*catalogue_.find(call.tool)->tool, call.arguments);
    if (!verdict.allows) return by(kByGate, blocked(verdict, call));
  }
  return std::nullopt;
}

void Context::tell_output(const Call& call, std::string_view text) const {
  const std::scoped_lock lock(output_);
  tell({.kind = RunEvent::Kind::printing,
        .step = recorder_.last_step(),
        .tool = call.tool,
        .arguments = call.arguments,
        .text = text});
}

void Context::tell_of_agent(const RunEvent& event) const {
  const std::scoped_lock lock(output_);
  if (options_.on_event) options_.on_event(event);
}

ToolResult Context::run_one(const Call& call, bool is_known_begun) const {
  const compile::ToolCall named{call.id, call.tool, call.arguments};
  llm::HookEvent hook{.kind = llm::HookEvent::Kind::tool, .call = &named, .commits = {}};
  const auto told = [&]() -> Result<void> {
    if (options_.hooks == nullptr) return {};
    const std::scoped_lock lock(hooks_);
    try {
      return options_.hooks->run(hook);
    } catch (const std::exception& error) {
      return unavailable(fmt::format("a handler broke: {}", error.what()));
    }
  };
  if (const auto allowed = told(); !allowed) return failed(allowed.error().message);
  ToolResult result =
      dispatch(catalogue_, call.tool, call.arguments,
               {.stop = options_.stop,
                .timeout = {},
                .tracker = &tracker_,
                .budget = remainder(options_.budget, tracker_.since(mark_), recorder_.elapsed()),
                .caller = CalledFrom{recorder_.id(), call.answer, call.number, call.tool},
                .output = [&](std::string_view text) { tell_output(call, text); },
                .tell = [&](const RunEvent& event) { tell_of_agent(event); },
                .resumes = is_known_begun ? std::optional(recorder_.how()) : std::nullopt});
  hook.is_before = false;
  hook.result = &result.text;
  if (const auto heard = told(); !heard && !result.is_error) {
    result.text += "\n[" + heard.error().message + ']';
  }
  return result;
}

// Runs calls in parallel. Returns nullopt for calls not begun because the run was stopped.
std::vector<std::optional<ToolResult>> Context::run_side_by_side(
    const std::vector<const Call*>& calls, bool is_known_begun) const {
  std::vector<std::optional<ToolResult>> results(calls.size());
  if (calls.size() == 1) {
    results.front() = run_one(*calls.front(), is_known_begun);
    return results;
  }
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    threads.emplace_back([&, i] {
      if (!options_.stop.stop_requested()) results[i] = run_one(*calls[i], is_known_begun);
    });
  }
  threads.clear();  // Waits for them.
  return results;
}

void Context::take(std::int64_t step, const std::string& thought, const Call& call,
                   const ToolResult& result, const Oid& commit, bool is_recorded) {
  if (!is_nothing(result)) last_observation_ = shown(result);
  note_result(step, call, result, commit);
  known_.add_observation(recorder_.observations());
  known_.add(call.tool);
  if (!call.id.empty()) known_.add(call.id);
  known_.add(commit.hex());
  const bool was_refused = !result.facts.get(fact::refused_by).empty();
  if (options_.gate != nullptr && !was_refused) {
    options_.gate->after(call.tool, call.arguments, result);
  }
  tell({.kind = RunEvent::Kind::observed,
        .step = step,
        .tool = call.tool,
        .arguments = call.arguments,
        .text = result.text,
        .is_error = result.is_error,
        .is_recorded = is_recorded});
  auto input = json::canonical(call.arguments.empty() ? "{}" : call.arguments);
  progress.steps.push_back({.thought = thought,
                            .action = call.tool,
                            .action_input = input ? *input : json::write_string(call.arguments),
                            .observation = json_of(result),
                            .is_error = result.is_error,
                            .is_unverified = result.facts.get(fact::unverified),
                            .was_stopped = result.facts.get(fact::was_stopped),
                            .commit = commit});
}

Result<void> Context::keep(std::int64_t step, const std::string& thought, const Call& call,
                           ToolResult result, const llm::Spending& spent) {
  Observed observed{.step = step,
                    .call = call.number,
                    .tool = call.tool,
                    .call_id = call.id,
                    .called_as = call.called_as,
                    .result = std::move(result),
                    .spent = spent};
  const Oid commit = TRY(recorder_.observe(observed));
  if (observed.result.facts.get(fact::refused_by) == kByGate) TRY(options_.gate->refused(commit));
  take(step, thought, call, observed.result, commit, false);
  return {};
}

// Returns the ending if the run has to stop in the middle of a call. Records what it waits for.
Result<std::optional<Ending>> Context::stopped_in(std::int64_t step, const Call& call,
                                                  const ToolResult& result) {
  if (!result.unfinished) return std::optional<Ending>();
  const Unfinished& what = *result.unfinished;
  if (what.waits_for.empty()) {
    const bool is_stopped = options_.stop.stop_requested();
    return is_stopped ? std::optional(interrupted("interrupted")) : std::nullopt;
  }
  TRY(recorder_.park(step, call.number, call.tool, what));
  progress.waits_for = what.waits_for;
  progress.waits_with = what.waits_with;
  return std::optional(interrupted("approval"));
}

Result<std::optional<Ending>> Context::act(std::int64_t step, const std::string& thought,
                                           const std::vector<Call>& calls, bool is_known_begun) {
  const KnownRefs known = known_;  // As the model knew them.
  bool was_cut_off = is_known_begun && !recorder_.ended_in_order();
  std::vector<const Call*> group;  // Checked calls, about to run.
  const auto run_group = [&]() -> Result<std::optional<Ending>> {
    if (group.empty()) return std::optional<Ending>();
    for (const Call* call : group) {
      tell({.kind = RunEvent::Kind::calling,
            .step = step,
            .tool = call->tool,
            .arguments = call->arguments});
    }
    const llm::Spending before = tracker_.mark();
    std::vector<std::optional<ToolResult>> results = run_side_by_side(group, is_known_begun);
    const llm::Spending spent = tracker_.since(before);
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (!results[i]) break;  // Stopped: the rest did not begin.
      if (auto ending = TRY(stopped_in(step, *group[i], *results[i]))) return ending;
      // The shared cost of parallel calls is recorded with the last of them.
      const bool is_last = i + 1 == group.size() || !results[i + 1];
      TRY(keep(step, thought, *group[i], std::move(*results[i]),
               is_last ? spent : llm::Spending{}));
    }
    group.clear();
    return std::optional<Ending>();
  };

  for (const Call& call : calls) {
    if (const auto recorded = TRY(recorder_.recorded_observation(step, call.number))) {
      take(step, thought, call, recorded->result, recorded->commit, true);
      continue;
    }
    if (recorder_.only_looks()) return recorder_.over();
    const Approval approval = recorder_.approval(step, call.number);
    const Catalogue::Entry* entry = catalogue_.find(call.tool);
    const Tool* tool = entry != nullptr ? entry->tool : nullptr;  // Null: the call is refused.
    const bool needs_approval = tool != nullptr && tool->needs_approval;
    const bool may_have_begun = was_cut_off && (!needs_approval || approval == Approval::approved);
    was_cut_off = false;
    const bool may_repeat = tool != nullptr && (tool->read_only || tool->continues);
    const bool has_effect = call.problem.empty() && !may_repeat;
    if (may_have_begun && has_effect) {
      ToolResult unverified = failed(std::string(kUnverified));
      unverified.facts.set(fact::unverified, true);
      TRY(keep(step, thought, call, std::move(unverified)));
      continue;
    }
    // Only tools that change nothing and need no approval run in parallel.
    const bool may_run_beside =
        tool != nullptr && tool->read_only && !needs_approval && approval == Approval::not_asked;
    if (!may_run_beside || group.size() == kSideBySide) {
      if (auto ending = TRY(run_group())) return ending;
    }
    if (options_.stop.stop_requested()) return std::optional(interrupted("interrupted"));
    if (approval == Approval::denied) {
      TRY(keep(step, thought, call, denied_by_person(recorder_.reason(step, call.number))));
      continue;
    }
    if (auto refusal = refused(call, known)) {
      if (auto ending = TRY(run_group())) return ending;
      TRY(keep(step, thought, call, std::move(*refusal)));
      continue;
    }
    if (needs_approval && approval != Approval::approved) {
      if (approval == Approval::not_asked) {
        TRY(recorder_.park(step, call.number, call.tool, {.waits_for = call.tool}));
      }
      const auto said = options_.person ? options_.person(*tool, call.arguments) : std::nullopt;
      if (!said) {
        progress.waits_for = call.tool;
        progress.waits_with = call.arguments;
        return std::optional(interrupted("approval"));
      }
      TRY(recorder_.answer(step, call.number, said->allows, said->reason));
      if (!said->allows) {
        TRY(keep(step, thought, call, denied_by_person(said->reason)));
        continue;
      }
    }
    group.push_back(&call);
    if (may_run_beside) continue;
    if (auto ending = TRY(run_group())) return ending;
  }
  if (auto ending = TRY(run_group())) return ending;
  // If stopped meanwhile, the calls that did not run begin when the run is resumed.
  if (options_.stop.stop_requested()) return std::optional(interrupted("interrupted"));
  return std::optional<Ending>();
}

}  // namespace spoor::agent::planners
