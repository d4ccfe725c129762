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

constexpr Option kModel{"--model", "PROVIDER/MODEL",
                        "the model to ask (default: the setting 'model')"};
constexpr Option kFallback{"--fallback",
                           "PROVIDER/MODEL",
                           "the model to ask if the one before fails; may be given again",
                           0,
                           Takes::text,
                           Count::many};
constexpr Option kNoReasoning{"--no-reasoning", "",
                              "show the model's reasoning, but do not keep it"};
constexpr Option kNoStream{"--no-stream", "", "do not stream the answer"};
constexpr Option kMaxTokens{"--max-tokens", "N", "limit the answer to N tokens", 0, Takes::number};
constexpr Option kTemperature{"--temperature", "X",
                              "0 for the most likely answer, higher for variety"};
constexpr Option kParams{"--params", "JSON",
                         "more members of the request, in the provider's format"};

constexpr Option kSchema{"--schema", "FILE", "answer with JSON that fits this JSON Schema", 0,
                         Takes::path};
constexpr Option kCache{"--cache", "", "answer a repeated request from FILE-replies"};

constexpr std::array kChatOptions = {
    Option{"text", "TEXT", "the text to send; - reads standard input", 0, Takes::prose,
           Count::optional},
    kModel,
    kFallback,
    kNoReasoning,
    kNoStream,
    kMaxTokens,
    kEffort,
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
    kModel,  kFallback, kNoReasoning, kNoStream, kMaxTokens, kEffort,  kTemperature, kParams,
    kSchema, kCache,    kWindow,      kBudget,   kStrict,    kCapture, kJson,
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
  if (!session.input_is_tty()) {
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
    Example{"spoor chat", "a conversation; every line is sent to the model"},
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
        "command. API keys come from the environment or a file: docs/providers.md.",
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
