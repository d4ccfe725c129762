// chat and generate: answers from a model.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "base/files.h"
#include "cli/agents/constraint_flags.h"
#include "cli/agents/conversation.h"
#include "cli/agents/extra_tools.h"
#include "cli/agents/prepared_agent.h"
#include "cli/agents/run_context.h"
#include "cli/agents/run_flags.h"
#include "cli/agents/tool_flags.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/models/ask.h"
#include "cli/models/model_settings.h"
#include "cli/repl/repl.h"
#include "cli/session.h"
#include "cli/settings/capture.h"
#include "llm/params.h"

namespace spoor::cli {
namespace {

constexpr Option kAsked{"--model", "PROVIDER/MODEL",
                        "the model to ask (default: the setting 'model')"};
constexpr Option kNoReasoning{"--no-reasoning", "",
                              "show the model's reasoning, but do not keep it"};
constexpr Option kNoStream{"--no-stream", "", "do not stream the answer"};
constexpr Option kAnswerLimit{"--max-tokens", "N", "limit the answer to N tokens", 0,
                              Takes::number};
constexpr Option kParams{"--params", "JSON",
                         "more members of the request, in the provider's format"};

constexpr Option kSchema{"--schema", "FILE", "answer with JSON that fits this JSON Schema", 0,
                         Takes::path};
constexpr Option kCache{"--cache", "", "answer a repeated request from FILE-replies"};

constexpr Option kPrint{"--print", "", "print the answer and ask nothing, for scripts", 'p'};
constexpr Option kJsonLines{"--json-lines", "",
                            "with --tools: print each event as a line of JSON, then the result"};
constexpr Option kApproveAll{"--approve-all", "",
                             "with --tools: make every call without asking you"};
constexpr Option kThinking{.name = "--thinking",
                           .value = "HOW",
                           .help = "with --tools: show thinking folded, full or none",
                           .takes = Takes::choice,
                           .choices = "folded|full|none"};

constexpr std::array kChatOptions = {
    Option{"text", "TEXT", "the text to send; - reads standard input", 0, Takes::prose,
           Count::optional},
    kAsked,
    kFallback,
    kTools,
    kRoot,
    kHost,
    kAllowNetwork,
    kAllowRead,
    kAllowWrite,
    kToolCommand,
    kMcp,
    kMcpConfig,
    kMcpKey,
    kSkills,
    kAgents,
    kApproveAll,
    kThinking,
    kMaxSteps,
    kMaxCost,
    kMaxTime,
    kInstructions,
    kNoAgentsMd,
    kContext,
    kMemoryOf,
    kConstraint,
    kConstraints,
    kEnforce,
    kNoReasoning,
    kNoStream,
    kAnswerLimit,
    kEffort,
    kTemperature,
    kParams,
    kSchema,
    kCache,
    kWindow,
    kBudget,
    kStrict,
    kCapture,
    kPrint,
    kJson,
    kJsonLines,
};
// Those that only one request can have, and those that only an agent can have.
constexpr std::array kOfRequests = {kNoReasoning, kNoStream, kAnswerLimit, kParams, kSchema,
                                    kCache,       kWindow,   kBudget,      kStrict};
constexpr std::array kOfAgents = {
    kRoot,     kHost,     kAllowNetwork, kAllowRead,   kAllowWrite,   kApproveAll,
    kThinking, kMaxSteps, kMaxCost,      kMaxTime,     kInstructions, kNoAgentsMd,
    kContext,  kMemoryOf, kConstraint,   kConstraints, kEnforce,      kJsonLines};

constexpr std::array kGenerateOptions = {
    kAsked,  kFallback, kNoReasoning, kNoStream, kAnswerLimit, kEffort,  kTemperature, kParams,
    kSchema, kCache,    kWindow,      kBudget,   kStrict,      kCapture, kJson,
};

Result<Asking> asking_of(Session& session, const Arguments& arguments) {
  Asking asking;
  asking.as_json = arguments.has("--json");
  asking.options.compile = compile_options(arguments);
  asking.options.reasoning = TRY(commits_reasoning(session)) && !arguments.has("--no-reasoning");
  asking.options.stream = !arguments.has("--no-stream");
  if (arguments.has("--schema")) {
    const std::string path = arguments.text("--schema");
    const std::string text = TRY(read_given_file(path));
    asking.schema = TRY(llm::Schema::parse(text));
  }
  return asking;
}

Result<std::unique_ptr<OpenModel>> open_one(Session& session, const std::string& name,
                                            const Arguments& arguments) {
  TRY(session.require_trust());  // Check before paying for an answer that could not be stored.
  auto model = TRY(OpenModel::open(session, name));
  if (arguments.has("--cache")) TRY(model->keep_replies(session));
  llm::Params params;
  if (arguments.has("--max-tokens")) params.max_tokens = arguments.number("--max-tokens", 0);
  params.temperature = arguments.text("--temperature");
  if (params.temperature == "-") params.temperature.clear();
  params.effort = arguments.text("--effort");
  params.more = arguments.text("--params");
  llm::WrittenParams written = TRY(llm::write_params(
      model->provider().profile(), TRY(llm::parse_model_name(name)).model, params));
  for (const std::string& note : written.notes) session.err().print(note).newline().flush();
  model->set_params(std::move(written.params));
  return model;
}

Result<void> run_ask(Session& session, const Arguments& arguments,
                     const std::optional<std::string>& text) {
  if (arguments.has("--capture")) {
    TRY(session.capture_at_most(TRY(api::read_capture(arguments.text("--capture")))));
  }
  std::vector<std::string> names = {TRY(model_name(session, arguments.text("--model")))};
  for (const std::string& name : arguments.all("--fallback")) names.push_back(name);
  std::vector<std::unique_ptr<OpenModel>> opened;
  std::vector<OpenModel*> models;
  for (const std::string& name : names) {
    opened.push_back(TRY(open_one(session, name, arguments)));
    models.push_back(opened.back().get());
  }
  return ask(session, models, text, TRY(asking_of(session, arguments)));
}

// True if the options give tools.
bool is_agent(const Arguments& arguments) {
  constexpr std::array kGive = {kTools, kToolCommand, kMcp, kMcpConfig, kSkills, kAgents};
  return std::any_of(kGive.begin(), kGive.end(),
                     [&](const Option& option) { return arguments.has(option.name); });
}

Result<void> check_combination(Session& session, const Arguments& arguments) {
  if (is_agent(arguments)) {
    for (const Option& option : kOfRequests) {
      if (!arguments.has(option.name)) continue;
      return session.usage_error(fmt::format("{} cannot be combined with tools", option.name));
    }
  } else {
    for (const Option& option : kOfAgents) {
      if (!arguments.has(option.name)) continue;
      return session.usage_error(fmt::format("{} needs --tools", option.name),
                                 "give the tools that the agent may use (docs/tools.md)");
    }
  }
  return {};
}

Result<std::unique_ptr<Conversation>> open_conversation(Session& session,
                                                        const Arguments& arguments) {
  session.use_own_store();
  const auto shown = arguments.has("--json-lines") ? Conversation::Shown::json_lines
                     : arguments.has("--json")     ? Conversation::Shown::json
                                                   : Conversation::Shown::text;
  return Conversation::open(session, arguments, shown);
}

Result<void> run_chat(Session& session, const Arguments& arguments) {
  TRY(check_combination(session, arguments));
  const bool has_tools = is_agent(arguments);
  if (has_tools) {
    session.config().choose("model", TRY(model_name(session, arguments.text("--model"))));
  }
  const bool is_once = arguments.has("text") || arguments.has("--print") ||
                       arguments.has("--json") || arguments.has("--json-lines");
  if (is_once || !session.input_is_tty()) {
    const std::string given = arguments.text("text", "-");
    if (!has_tools) return run_ask(session, arguments, TRY(text_to_keep(session, given)));
    const auto conversation = TRY(open_conversation(session, arguments));
    return conversation->say(TRY(text_to_keep(session, given)));
  }
  std::unique_ptr<Conversation> conversation;
  if (has_tools) conversation = TRY(open_conversation(session, arguments));
  if (conversation) TRY(conversation->report_unfinished());
  TRY(session.workspace_or_new());
  const std::string name = TRY(model_name(session, arguments.text("--model")));
  TRY(session.require_trust());
  // Report its errors before the first line is read.
  if (!has_tools) TRY(OpenModel::open(session, name));
  session.config().choose("model", name);
  Arguments globals;  // Options that apply to every line.
  for (const Option& option : global_options()) {
    if (arguments.has(option.name)) globals.add(option.name, arguments.text(option.name));
  }
  run_repl(session, globals, std::move(conversation));
  return {};
}

Result<void> run_generate(Session& session, const Arguments& arguments) {
  return run_ask(session, arguments, std::nullopt);
}

constexpr std::array kChatExamples = {
    Example{"spoor chat --model anthropic/claude-sonnet-5 'Why is the sky blue?'",
            "one question, one answer, both on the branch"},
    Example{"spoor chat", "a conversation; every line is sent to the model"},
    Example{"spoor chat --tools read_file,grep,edit_file,run_command",
            "a conversation with an agent in this folder, which asks before it changes anything"},
};
constexpr std::array kGenerateExamples = {
    Example{"spoor generate --json", "an answer to the newest turn, as JSON"},
};

}  // namespace

extern const Command kChat{
    .name = "chat",
    .summary = "Talk to a model; every turn is committed",
    .options = kChatOptions,
    .run = run_chat,
    .group = Group::write,
    .details =
        "The text becomes a user turn, the prompt at the branch's tip is compiled for the\n"
        "provider and sent, and the answer is committed: reasoning and answer in one\n"
        "transaction. Ctrl-C ends the call and keeps what was received. Without TEXT, at a\n"
        "terminal, the interactive session opens: a line is sent to the model, '/log' is a\n"
        "command. API keys come from the environment or a file: docs/providers.md.\n"
        "\n"
        "With --tools an agent answers. It works in --root, asks you before it changes\n"
        "anything, and is recorded in your own store unless --store names another\n"
        "(docs/agents.md, 'A conversation').",
    .examples = kChatExamples,
};
extern const Command kGenerate{
    .name = "generate",
    .summary = "Ask a model to answer the last turn",
    .options = kGenerateOptions,
    .run = run_generate,
    .group = Group::write,
    .details =
        "Like chat, but adds no user turn: use it after a tool result, after an edit, or on\n"
        "a new branch. 'spoor prompt HEAD' prints the request that was sent, byte for byte.",
    .examples = kGenerateExamples,
};

}  // namespace spoor::cli
