#include "facade/run_setup.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "agent/memory/memory_tools.h"
#include "agent/registry.h"
#include "agent/subagent.h"

namespace spoor {
namespace {

agent::Tool made(const Tool& tool) {
  agent::Tool inner;
  inner.id = tool.id;
  inner.description = tool.description;
  inner.parameters = tool.parameters;
  inner.read_only = tool.read_only;
  inner.needs_approval = tool.needs_approval;
  if (!tool.run) return inner;  // The registry refuses it.
  inner.run = [run = tool.run](std::string_view arguments, const agent::ToolContext&) {
    const ToolResult result = run(nlohmann::json::parse(arguments));
    return result.is_error ? agent::failed(result.text) : agent::gave(result.text);
  };
  return inner;
}

// Sets the members that need nothing to live on.
void set_limits(const RunOptions& options, agent::RunOptions& inner) {
  inner.instructions = options.instructions;
  inner.max_steps = options.max_steps;
  if (options.max_dollars) {
    inner.budget.max_cost = llm::Money{std::llround(*options.max_dollars * 1e9)};
  }
  inner.budget.max_tokens = options.max_tokens;
  inner.calling = options.native_calls ? agent::Calling::automatic : agent::Calling::json;
  inner.strict_refs = options.strict_refs;
  inner.synthesize = options.synthesize;
  inner.stop = options.stop;
}

void set_functions(const RunOptions& options, agent::RunOptions& inner) {
  if (options.person) {
    inner.person = [&options](const agent::Tool& tool, std::string_view arguments) {
      std::optional<agent::PersonsAnswer> said;
      if (auto approval = options.person(tool.id, arguments)) {
        said = {.allows = approval->allows, .reason = std::move(approval->reason)};
      }
      return said;
    };
  }
  if (options.on_event) {
    inner.on_event = [&options](const agent::RunEvent& event) {
      using Kind = agent::RunEvent::Kind;
      if (!event.agent.empty()) return;  // The agent's own options have a function for them.
      options.on_event(agent::name_of(event.kind),
                       event.kind == Kind::calling ? event.tool : event.text);
    };
  }
}

}  // namespace

agent::Strategy inner(Strategy strategy) {
  switch (strategy) {
    case Strategy::react:
      return agent::Strategy::react;
    case Strategy::plan_and_execute:
      return agent::Strategy::plan_and_execute;
    case Strategy::reflexion:
      break;
  }
  return agent::Strategy::reflexion;
}

agent::Gate::Verdict RunSetup::Hooks::before(const agent::Tool& tool, std::string_view arguments) {
  Verdict verdict;
  if (!options_.before_call) return verdict;
  if (auto why = options_.before_call(tool.id, arguments)) {
    verdict.allows = false;
    verdict.why = std::move(*why);
  }
  return verdict;
}

void RunSetup::Hooks::after(std::string_view tool, std::string_view arguments,
                            const agent::ToolResult& result) {
  if (!options_.after_call) return;
  options_.after_call(tool, arguments, {.text = result.text, .is_error = result.is_error});
}

Result<std::unique_ptr<RunSetup>> RunSetup::make(const RunOptions& options, const Model& model,
                                                 const std::shared_ptr<Store::Body>& store,
                                                 const std::string& branch) {
  std::unique_ptr<RunSetup> setup(new RunSetup(options));
  TRY(setup->add_tools(options, store, branch));
  set_limits(options, setup->inner);
  set_functions(options, setup->inner);
  setup->inner.registry = &setup->registry_;
  setup->inner.prices = &Access::body(model).prices_or(store->prices);
  setup->inner.stream = Access::body(model).streams;
  if (options.before_call || options.after_call) setup->inner.gate = &setup->hooks_;
  return setup;
}

Result<void> RunSetup::add_tools(const RunOptions& options,
                                 const std::shared_ptr<Store::Body>& store,
                                 const std::string& branch) {
  for (const Tool& tool : options.tools) TRY(registry_.add(made(tool)));
  if (options.memory_of) {
    for (agent::Tool& tool :
         agent::memory::make_tools(store->repository(), {.agent = *options.memory_of})) {
      TRY(registry_.add(std::move(tool)));
    }
  }
  for (const SubAgent& agent : options.agents) TRY(add_agent(agent, store, branch));
  return {};
}

Result<void> RunSetup::add_agent(const SubAgent& agent, const std::shared_ptr<Store::Body>& store,
                                 const std::string& branch) {
  if (!Access::has_body(agent.model)) return invalid("agent '" + agent.id + "' has no model");
  agent::SubagentSettings settings;
  settings.id = agent.id;
  if (!agent.description.empty()) settings.description = agent.description;
  settings.strategy = spoor::inner(agent.options.strategy);
  settings.llm = Access::body(agent.model).candidate();
  settings.repository = &store->repository();
  settings.branch = branch + "-" + agent.id;
  agents_.push_back(TRY(make(agent.options, agent.model, store, settings.branch)));
  settings.options = agents_.back()->inner;
  return registry_.add(agent::make_subagent(std::move(settings)));
}

}  // namespace spoor
