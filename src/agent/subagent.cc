#include "agent/subagent.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

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

Result<PlanResult> run_one(Subagents& subagents, const std::string& goal,
                           const ToolContext& context) {
  const SubagentSettings& settings = subagents.settings;
  RunOptions options = settings.options;
  if (settings.prepare) settings.prepare(options);
  options.stop = context.stop;
  options.called_from = context.caller;
  if (context.tracker != nullptr) options.tracker = context.tracker;
  options.budget.max_cost = less(options.budget.max_cost, context.budget.max_cost);
  options.budget.max_tokens = less(options.budget.max_tokens, context.budget.max_tokens);
  options.budget.max_wall_time = less(options.budget.max_wall_time, context.budget.max_wall_time);
  std::unique_lock lock(subagents.mutex);
  Session session(*settings.repository, TRY(free_branch(settings)),
                  {.principal = settings.principal});
  const auto told = options.on_event;
  options.on_event = [&lock, told](const RunEvent& event) {
    if (event.kind == RunEvent::Kind::started && lock.owns_lock()) lock.unlock();
    if (told) told(event);
  };
  return run(settings.strategy, goal, settings.llm, session, options);
}

ToolResult result_of(const Result<PlanResult>& run) {
  if (!run) return failed(run.error().message);
  ToolResult result;
  if (run->stopped == Stopped::goal_achieved) {
    result = gave(run->answer.value_or(""));
  } else {
    result = failed(fmt::format("it stopped: {}{}{}", name_of(run->stopped),
                                run->error ? ", " + *run->error : "",
                                run->answer ? "; the last it saw: " + *run->answer : ""));
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
  const auto subagents = std::make_shared<Subagents>();  // Shared by the copies of the tool.
  subagents->settings = std::move(settings);
  tool.run = [subagents](std::string_view arguments, const ToolContext& context) {
    const auto document = json::parse(arguments);
    if (!document) return failed(document.error().message);
    return result_of(run_one(*subagents, document->root().find("goal").text(), context));
  };
  return tool;
}

}  // namespace spoor::agent
