// chat and generate: answers from a model.
#include <array>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/capture.h"
#include "cli/common_options.h"
#include "cli/files.h"
#include "cli/models/ask.h"
#include "cli/models/model_settings.h"
#include "cli/moves.h"
#include "cli/repl/repl.h"
#include "cli/session.h"
#include "llm/params.h"

namespace spoor::cli {
namespace {

constexpr Option kModel{"--model", "PROVIDER/MODEL", "who answers (default: the setting 'model')"};
constexpr Option kFallback{"--fallback",
                           "PROVIDER/MODEL",
                           "who is asked when the one before could not; may be given again",
                           0,
                           Takes::text,
                           Count::many};
constexpr Option kNoReasoning{"--no-reasoning", "", "show the model's reasoning, and keep none"};
constexpr Option kNoStream{"--no-stream", "", "ask for the answer in one piece"};
constexpr Option kMaxTokens{"--max-tokens", "N", "let the answer have at most N tokens", 0,
                            Takes::number};
constexpr Option kTemperature{"--temperature", "X", "0 for the likeliest answer, more for variety"};
constexpr Option kParams{"--params", "JSON",
                         "further members of the request, as the provider has them"};

constexpr Option kSchema{"--schema", "FILE", "answer with JSON that fits this JSON Schema", 0,
                         Takes::path};
constexpr Option kCache{"--cache", "", "answer a request that was sent before from FILE-replies"};

constexpr std::array kChatOptions = {
    Option{"text", "TEXT", "what to say; - reads standard input", 0, Takes::prose, Count::optional},
    kModel,
    kFallback,
    kNoReasoning,
    kNoStream,
    kMaxTokens,
    kTemperature,
    kParams,
    kSchema,
    kCache,
    kWindow,
    kBudget,
    kStrict,
    kCapture,
    kJson,
};
constexpr std::array kGenerateOptions = {
    kModel,  kFallback, kNoReasoning, kNoStream, kMaxTokens, kTemperature, kParams,
    kSchema, kCache,    kWindow,      kBudget,   kStrict,    kCapture,     kJson,
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
  params.more = arguments.text("--params");
  model->set_params(TRY(llm::write_params(model->provider().profile(), params)));
  return model;
}

Result<void> run_ask(Session& session, const Arguments& arguments,
                     const std::optional<std::string>& text) {
  if (arguments.has("--capture")) {
    TRY(session.capture_at_most(TRY(read_capture(arguments.text("--capture")))));
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

Result<void> run_chat(Session& session, const Arguments& arguments) {
  if (arguments.has("text")) {
    return run_ask(session, arguments, TRY(text_to_keep(session, arguments.text("text"))));
  }
  if (session.interactive() != nullptr || !session.terminal().input_is_tty()) {
    return run_ask(session, arguments, TRY(text_to_keep(session, "-")));
  }
  TRY(session.workspace_or_new());
  const std::string name = TRY(model_name(session, arguments.text("--model")));
  TRY(session.require_trust());
  TRY(OpenModel::open(session, name));  // Report its errors before the first line is read.
  session.config().choose("model", name);
  Arguments globals;  // Options that apply to every line.
  for (const Option& option : global_options()) {
    if (arguments.has(option.name)) globals.add(option.name, arguments.text(option.name));
  }
  run_repl(session, globals);
  return {};
}

Result<void> run_generate(Session& session, const Arguments& arguments) {
  return run_ask(session, arguments, std::nullopt);
}

constexpr std::array kChatExamples = {
    Example{"spoor chat --model anthropic/claude-sonnet-5 'Why is the sky blue?'",
            "one question, one answer, both on the branch"},
    Example{"spoor chat", "a conversation; every line is said to the model"},
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
        "The text becomes a user's turn, the prompt at the branch's tip is compiled for the\n"
        "provider and sent, and what the model answers is committed: its reasoning, then the\n"
        "answer, in one transaction. Ctrl-C ends the call and keeps what came. Without TEXT, at a\n"
        "terminal, the interactive session opens: a line is said to the model, '/log' is a\n"
        "command. Keys come from the environment or a file: docs/providers.md.",
    .examples = kChatExamples,
};
extern const Command kGenerate{
    .name = "generate",
    .summary = "Ask a model to answer the last turn",
    .options = kGenerateOptions,
    .run = run_generate,
    .group = Group::write,
    .details =
        "As chat, but says nothing first: after the result of a tool, after an edit, or on a new\n"
        "branch. 'spoor prompt HEAD' shows the request that was sent, byte for byte.",
    .examples = kGenerateExamples,
};

}  // namespace spoor::cli
