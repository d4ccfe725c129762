#include "agent/planners/context.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "agent/dispatch.h"
#include "compile/json/writer.h"

namespace spoor::agent::planners {
namespace {

using compile::Oid;
using record::Answer;
using record::Observed;
using record::Purpose;
using store::Result;
using Approval = record::Recorder::Approval;

constexpr std::size_t kSideBySide = 8;  // Threads at once.

// As the model and the steps have it.
std::string shown(const ToolResult& result) {
  return result.is_error ? "error: " + result.text : result.text;
}

std::string json_of(const ToolResult& result) {
  if (result.is_json && !result.is_error) return result.text;
  return compile::json::write_string(shown(result));
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
    return Ending{
        .stopped = Stopped::interrupted, .by = "interrupted", .answer = last_observation_};
  }
  const llm::Spending spent = tracker_.since(mark_);
  if (options_.budget.max_cost && spent.unknown_costs > 0 && !has_warned_of_cost_) {
    has_warned_of_cost_ = true;
    warn("what an answer cost is not known, so the limit on costs may be passed unseen");
  }
  const auto reached = check(options_.budget, spent, recorder_.elapsed());
  if (!reached) return std::nullopt;
  return Ending{.stopped = reached->stopped,
                .by = std::string(name_of(reached->stopped)),
                .answer = last_observation_,
                .limit = reached->limit,
                .spent = reached->spent};
}

Result<Answer> Context::ask(Purpose purpose, std::int64_t step, record::ReadAnswer read,
                            std::optional<std::int64_t> window) {
  tell({.kind = RunEvent::Kind::asking,
        .step = step,
        .text = record::name_of(purpose),
        .is_recorded = recorder_.is_replaying()});
  const bool takes_tools = purpose == Purpose::agent;
  return recorder_.ask({.purpose = purpose,
                        .step = step,
                        .candidates = takes_tools ? models_.with_tools : models_.plain,
                        .read = std::move(read),
                        .window = window});
}

Ending Context::failed_call(const llm::Failure& failure) const {
  if (failure.kind == llm::Failure::Kind::interrupted) {
    return {.stopped = Stopped::interrupted, .by = "interrupted", .answer = last_observation_};
  }
  const store::Error error = to_error(failure);
  return {.stopped = Stopped::error,
          .by = "provider",
          .answer = last_observation_,
          .error = error.message};
}

// What refuses a call before it runs, a person's word aside.
std::optional<ToolResult> Context::refused(const Call& call) const {
  if (auto refusal = refusal_of(catalogue_, call.tool, call.arguments)) return refusal;
  if (options_.strict_refs && call.rationale != nullptr) {
    const auto unknown = known_.unknown(*call.rationale);
    if (!unknown.empty()) {
      return failed(
          fmt::format("the reason cites '{}', which is not in this run", unknown.front()));
    }
  }
  if (options_.gate != nullptr) {
    const auto verdict = options_.gate->before(*catalogue_.find(call.tool)->tool, call.arguments);
    if (!verdict.allows) return failed(verdict.why);
  }
  return std::nullopt;
}

ToolResult Context::run_one(const Call& call) const {
  const compile::ToolCall named{call.id, call.tool, call.arguments};
  llm::Moment moment{.kind = llm::Moment::Kind::tool, .call = &named, .commits = {}};
  if (options_.hooks != nullptr) {
    if (const auto told = options_.hooks->run(moment); !told) return failed(told.error().message);
  }
  ToolResult result = dispatch(catalogue_, call.tool, call.arguments,
                               {.stop = options_.stop, .timeout = {}, .tracker = &tracker_});
  if (options_.hooks != nullptr) {
    moment.is_before = false;
    moment.result = &result.text;
    if (const auto told = options_.hooks->run(moment); !told && !result.is_error) {
      result.text += "\n[" + told.error().message + ']';
    }
  }
  return result;
}

std::vector<ToolResult> Context::run_side_by_side(const std::vector<const Call*>& calls) const {
  std::vector<ToolResult> results(calls.size());
  if (calls.size() == 1) {
    results.front() = run_one(*calls.front());
    return results;
  }
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < calls.size(); i = next++) results[i] = run_one(*calls[i]);
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < std::min(calls.size(), kSideBySide); ++i) threads.emplace_back(work);
  threads.clear();  // Waits for them.
  return results;
}

void Context::take(std::int64_t step, const std::string& thought, const Call& call,
                   const ToolResult& result, const Oid& commit, bool is_recorded) {
  last_observation_ = shown(result);
  known_.add_observation(recorder_.observations());
  known_.add(call.tool);
  if (!call.id.empty()) known_.add(call.id);
  tell({.kind = RunEvent::Kind::observed,
        .step = step,
        .tool = call.tool,
        .arguments = call.arguments,
        .text = result.text,
        .is_error = result.is_error,
        .is_recorded = is_recorded});
  auto input = compile::json::canonical(call.arguments.empty() ? "{}" : call.arguments);
  progress.steps.push_back(
      {.thought = thought,
       .action = call.tool,
       .action_input = input ? *input : compile::json::write_string(call.arguments),
       .observation = json_of(result),
       .is_error = result.is_error,
       .commit = commit});
}

Result<void> Context::keep(std::int64_t step, const std::string& thought, const Call& call,
                           ToolResult result, std::optional<llm::Money> cost) {
  Observed observed{.step = step,
                    .call = call.number,
                    .tool = call.tool,
                    .call_id = call.id,
                    .called_as = call.called_as,
                    .result = std::move(result),
                    .cost = cost};
  const Oid commit = TRY(recorder_.observe(observed));
  take(step, thought, call, observed.result, commit, false);
  return {};
}

// Only what changes nothing and needs nobody's word.
bool Context::may_run_beside(const Call& call, std::int64_t step) const {
  if (refused(call)) return false;
  const Tool& tool = *catalogue_.find(call.tool)->tool;
  return tool.read_only && !tool.needs_approval &&
         recorder_.approval(step, call.number) == Approval::not_asked;
}

Result<std::optional<Ending>> Context::act(std::int64_t step, const std::string& thought,
                                           const std::vector<Call>& calls, bool is_known_begun) {
  const bool was_cut_off = is_known_begun && !recorder_.ended_in_order();
  for (std::size_t i = 0; i < calls.size();) {
    const Call& call = calls[i];
    if (const auto recorded = TRY(recorder_.recorded_observation(step, call.number))) {
      take(step, thought, call, recorded->result, recorded->commit, true);
      ++i;
      continue;
    }
    if (recorder_.only_looks()) return recorder_.over();
    if (was_cut_off) {
      TRY(keep(step, thought, call, failed(std::string(kUnverified)), std::nullopt));
      ++i;
      continue;
    }
    if (options_.stop.stop_requested()) {
      return std::optional(Ending{
          .stopped = Stopped::interrupted, .by = "interrupted", .answer = last_observation_});
    }
    if (auto refusal = refused(call)) {
      TRY(keep(step, thought, call, std::move(*refusal), std::nullopt));
      ++i;
      continue;
    }
    const Tool& tool = *catalogue_.find(call.tool)->tool;
    const Approval approval = recorder_.approval(step, call.number);
    if (approval == Approval::denied) {
      TRY(keep(step, thought, call, failed("a person refused this call"), std::nullopt));
      ++i;
      continue;
    }
    if (tool.needs_approval && approval != Approval::approved) {
      if (approval == Approval::not_asked) TRY(recorder_.park(step, call.number, call.tool));
      progress.waits_for = call.tool;
      return std::optional(
          Ending{.stopped = Stopped::interrupted, .by = "approval", .answer = last_observation_});
    }

    std::vector<const Call*> group = {&call};
    if (may_run_beside(call, step)) {
      while (i + group.size() < calls.size() && may_run_beside(calls[i + group.size()], step)) {
        group.push_back(&calls[i + group.size()]);
      }
    }
    for (const Call* one : group) {
      tell({.kind = RunEvent::Kind::calling,
            .step = step,
            .tool = one->tool,
            .arguments = one->arguments});
    }
    const llm::Spending before = tracker_.mark();
    std::vector<ToolResult> results = run_side_by_side(group);
    const llm::Money cost = tracker_.since(before).cost;
    for (std::size_t n = 0; n < group.size(); ++n) {
      // What several have booked together stands with the last of them.
      const bool pays = n + 1 == group.size() && cost > llm::Money{};
      TRY(keep(step, thought, *group[n], std::move(results[n]),
               pays ? std::optional(cost) : std::nullopt));
    }
    i += group.size();
  }
  return std::optional<Ending>();
}

}  // namespace spoor::agent::planners
