#include "cli/agents/conversation.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "agent/planners/models.h"
#include "agent/runs.h"
#include "api/json_writer.h"
#include "base/words.h"
#include "cli/agents/run_flags.h"
#include "cli/agents/run_lock.h"
#include "cli/agents/run_printer.h"
#include "cli/agents/tool_flags.h"
#include "cli/branch_writes.h"
#include "cli/models/model_settings.h"
#include "compile/turn.h"

namespace spoor::cli {
namespace {

using agent::RunEvent;

constexpr std::int64_t kMostSteps = 100;

std::string line_of(const RunEvent& event, const std::string& run) {
  api::JsonWriter json(true);
  json.object()
      .member("event", agent::name_of(event.kind))
      .member("run", event.agent.empty() ? run : event.run);
  if (!event.agent.empty()) json.member("agent", event.agent);
  if (event.step > 0) json.member("step", event.step);
  if (!event.tool.empty()) json.member("tool", event.tool);
  if (!event.tool.empty()) json.member("arguments", event.arguments);
  if (event.kind != RunEvent::Kind::calling && event.kind != RunEvent::Kind::started) {
    json.member("text", event.text);
  }
  if (event.kind == RunEvent::Kind::observed) json.member("is_error", event.is_error);
  return json.end().take();
}

// Every tool that changes something waits for an answer, which --approve-all gives.
Result<ToolSettings> tools_of(Session& session, const Arguments& arguments) {
  ToolSettings tools = TRY(read_tool_flags(session, arguments));
  tools.approve.emplace_back(kEachChange);
  return tools;
}

WhoAnswers who_answers(Session& session, const Arguments& arguments, Conversation::Shown shown) {
  if (arguments.has("--approve-all")) return WhoAnswers::approves;
  const bool is_script = shown != Conversation::Shown::text || arguments.has("--print");
  return !is_script && session.can_ask() ? WhoAnswers::person : WhoAnswers::no_one;
}

// The command line accepts no other words.
constexpr std::array<std::pair<ShownThinking, std::string_view>, 3> kThinkingWords = {{
    {ShownThinking::folded, "folded"},
    {ShownThinking::full, "full"},
    {ShownThinking::none, "none"},
}};

ShownThinking thinking_of(const Arguments& arguments) {
  return value_in(kThinkingWords, arguments.text("--thinking")).value_or(ShownThinking::folded);
}

}  // namespace

Result<std::unique_ptr<Conversation>> Conversation::open(Session& session,
                                                         const Arguments& arguments, Shown shown) {
  ToolSettings tools = TRY(tools_of(session, arguments));
  std::unique_ptr<Conversation> opened(
      new Conversation(session, arguments, shown, std::move(tools)));
  TRY(opened->prepare());
  return opened;
}

Conversation::Conversation(Session& session, const Arguments& arguments, Shown shown,
                           ToolSettings tools)
    : session_(session),
      arguments_(arguments),
      shown_(shown),
      tools_(std::move(tools)),
      thinking_(thinking_of(arguments)),
      ask_(session, tools_.root, who_answers(session, arguments, shown)) {}

Result<void> Conversation::prepare() {
  const std::string model = TRY(model_name(session_, {}));
  if (agent_ && agent_->setup->model_name() == model) return {};
  agent_.reset();
  agent::RunOptions options;
  options.max_steps = kMostSteps;
  agent_ = TRY(prepare_agent(session_, arguments_, tools_, model, std::move(options)));
  most_cost_ = agent_->options.budget.max_cost;
  return {};
}

Result<void> Conversation::report_unfinished() {
  Workspace& workspace = *TRY(session_.workspace());
  const graph::Repository& repository = workspace.repository();
  const auto tip =
      TRY(repository.store().ref(store::branch_ref(TRY(workspace.branch_for_writing()))));
  const auto run = tip ? TRY(agent::run_of(repository, *tip)) : std::nullopt;
  if (!run) return {};
  const auto head = TRY(repository.reader().commit(run->head));
  const std::string stopped = TRY(compile::read_facts(head->meta)).get(fact::stopped);
  if (stopped == agent::name_of(agent::Stopped::goal_achieved)) return {};
  Output& err = session_.err();
  err.print(Style::hint, "hint")
      .print(": the last turn did not come to its end; '/resume' continues it");
  err.newline().flush();
  return {};
}

Result<void> Conversation::say(std::string_view text) {
  TRY(prepare());
  Workspace& workspace = *TRY(session_.workspace());
  const std::string branch = TRY(workspace.branch_for_writing());
  TRY(check_view(workspace, branch));
  RunLock lock(workspace.files());
  TRY(lock.take_branch(branch));
  agent::Session where(workspace.repository(), branch, agent_->where);

  agent::RunOptions& options = agent_->options;
  if (most_cost_) {
    if (*most_cost_ <= spent_) {
      return denied(fmt::format("this conversation has spent its {}", llm::dollars(*most_cost_)),
                    "start it again with a higher --max-cost");
    }
    options.budget.max_cost = *most_cost_ - spent_;
  }
  const llm::Candidate model = agent_->setup->candidate();
  const auto calling = agent::planners::calling_of(options.calling, model.provider->profile());
  const bool has_words = calling == agent::Calling::native && !arguments_.has("--print");
  TalkPrinter printer(session_, thinking_, has_words);
  std::string run;
  const RunView view{.take =
                         [&](const RunEvent& event) {
                           const bool is_own = event.agent.empty();
                           if (is_own && event.kind == RunEvent::Kind::started) run = event.run;
                           if (shown_ == Shown::text) printer.take(event);
                           if (shown_ == Shown::json_lines) {
                             session_.out().verbatim(line_of(event, run)).flush();
                           }
                         },
                     .finish = [&] { printer.finish(); }};
  const auto result = TRY(run_live(*agent_->setup, lock, options, ask_, view, [&] {
    return agent::run(agent::Strategy::react, text, model, where, options);
  }));
  spent_ += result.spent.cost;
  if (shown_ != Shown::text) {
    session_.out().verbatim(write_result(result, shown_ == Shown::json_lines)).flush();
    return error_of(result);
  }
  auto missed = error_of(result);
  if (missed && result.answer && !printer.has_shown_answer()) {
    session_.out().print(*result.answer).newline().flush();
  }
  session_.err()
      .print(Style::muted, took(result) + " (spoor debrief " + result.run.substr(0, 8) + ")")
      .newline()
      .flush();
  if (missed || session_.interactive() == nullptr) return missed;
  Error error = missed.error();
  error.hint = "continue it with '/resume', or say more";
  return error;
}

}  // namespace spoor::cli
