#include "cli/agents/run_flags.h"

#include <fmt/format.h>

#include "agent/record/recording.h"
#include "cli/agents/run_printer.h"
#include "cli/models/stop_on_interrupt.h"
#include "cli/settings/capture.h"
#include "llm/money.h"

namespace spoor::cli {

Result<void> read_limits(Session& session, const Arguments& arguments, agent::RunOptions& options) {
  options.max_steps = arguments.number("--max-steps", options.max_steps);
  options.max_replans = arguments.number("--max-replans", options.max_replans);
  options.max_outer_iterations = arguments.number("--max-iterations", options.max_outer_iterations);
  if (arguments.has("--max-cost")) {
    const std::string text = arguments.text("--max-cost");
    options.budget.max_cost = llm::parse_dollars(text);
    if (!options.budget.max_cost) {
      return session.usage_error(fmt::format("'{}' is not an amount of dollars", text),
                                 "write a number such as 0.25");
    }
  }
  if (arguments.has("--max-tokens")) {
    options.budget.max_tokens = static_cast<std::uint64_t>(arguments.number("--max-tokens", 0));
  }
  if (arguments.has("--max-time")) {
    options.budget.max_wall_time = std::chrono::seconds(arguments.number("--max-time", 0));
  }
  options.max_tokens_per_call = arguments.number("--answer-tokens", options.max_tokens_per_call);
  if (arguments.has("--temperature")) {
    options.temperature = arguments.text("--temperature");
    if (options.temperature == "-") options.temperature.clear();
  }
  options.effort = arguments.text("--effort", options.effort);
  return {};
}

std::vector<std::string> models_of(std::vector<std::string> models, const Arguments& arguments) {
  if (arguments.has("--model")) models.front() = arguments.text("--model");
  if (arguments.has("--fallback")) models.resize(1);
  for (const std::string& name : arguments.all("--fallback")) models.push_back(name);
  return models;
}

Result<void> keep_capture(Session& session, ToolSettings& kept) {
  const guard::FieldModes modes = TRY(session.capture_modes());
  if (modes.all != compile::Capture::full) kept.capture = compile::name_of(modes.all);
  kept.capture_fields = modes.differences();
  kept.environment = TRY(environment_name(session.config()));
  return {};
}

Result<std::unique_ptr<AgentSetup>> open_recorded(Session& session, const std::string& run,
                                                  const Arguments& arguments,
                                                  agent::RunOptions& options, Use use) {
  Workspace& workspace = *TRY(session.workspace());
  const auto recording = TRY(agent::record::read_recording(workspace.repository(), run));
  TRY(agent::record::check_readable(recording.header));
  TRY(agent::read_options(recording.options, options));
  TRY(read_limits(session, arguments, options));
  if (arguments.has("--no-rationale")) options.rationale = false;
  const ToolSettings kept = TRY(read_tool_settings(recording.options));
  if (use == Use::live && !kept.attempt_of.empty()) {
    const std::string tree = kept.attempt_of.substr(0, 8);
    return conflict(fmt::format("the run {} is an attempt of the tree {}", run.substr(0, 8), tree),
                    fmt::format("continue it with 'spoor fork --resume {}'", tree));
  }
  guard::FieldModes modes = TRY(guard::read_field_modes(kept.capture_fields));
  if (!kept.capture.empty()) modes.all = TRY(api::read_capture(kept.capture));
  TRY(session.capture_at_most(modes));
  ToolSettings tools = kept;
  const auto from_kept = [&](const std::string& path) {
    return root_from_kept(path, workspace.path(), session.environment());
  };
  tools.root = from_kept(kept.root);
  map_paths(tools.extra, from_kept);
  const auto models = models_of(TRY(agent::models_of(recording.options)), arguments);
  auto setup = TRY(AgentSetup::open(session, tools, models, use));
  setup->give(options, kept);
  return setup;
}

Result<agent::PlanResult> run_live(AgentSetup& setup, RunLock& lock, agent::RunOptions& options,
                                   AskPerson& ask, const RunView& view,
                                   const std::function<Result<agent::PlanResult>()>& work) {
  const StopOnInterrupt interrupt;
  options.stop = interrupt.token();
  options.on_event = [&](const agent::RunEvent& event) {
    // This process already holds the run's branch, so the lock is free.
    if (event.kind == agent::RunEvent::Kind::started) (void)lock.take_run(std::string(event.run));
    view.take(event);
  };
  options.person = [&](const agent::Tool& tool, std::string_view arguments) {
    view.finish();
    return ask(tool, arguments);
  };
  setup.ask([&](const std::string& agent, const agent::Tool& tool, std::string_view arguments) {
    view.finish();
    return ask(tool, arguments, agent);
  });
  auto result = work();
  view.finish();
  return result;
}

Result<void> run_shown(Session& session, AgentSetup& setup, RunLock& lock,
                       agent::RunOptions& options, bool as_json,
                       const std::function<Result<agent::PlanResult>()>& work) {
  RunPrinter printer(session);
  AskPerson ask(session, setup.root(),
                !as_json && session.can_ask() ? WhoAnswers::person : WhoAnswers::no_one);
  const RunView view{.take = [&](const agent::RunEvent& event) { printer.take(event); },
                     .finish = [&] { printer.finish(); }};
  const auto result = TRY(run_live(setup, lock, options, ask, view, work));
  return print_result(session, result, as_json);
}

}  // namespace spoor::cli
