// system, user, assistant, think and tool: write turns by hand.
#include <array>

#include <fmt/format.h>

#include "base/files.h"
#include "base/json/reader.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/session.h"

namespace spoor::cli {
namespace {

constexpr Option kText{"text", "TEXT",       "the text; - reads standard input",
                       0,      Takes::prose, Count::one};
constexpr Option kAttach{"--attach", "FILE",      "a file to attach; may be given again",
                         0,          Takes::path, Count::many};
constexpr Option kModel{"--model", "NAME", "the model that wrote it"};

constexpr std::array kSystemOptions = {
    kText,
    Option{"--name", "NAME", "the last prompt with this name is in force"},
    Option{"--role", "ROLE", "the role it is sent with", 0, Takes::choice, Count::optional,
           "system|developer"},
    kAuthor,
    kMessage,
    kTag,
    kMetadata,
    kAttach,
    kJson,
};
constexpr std::array kUserOptions = {
    kText,
    Option{"--source", "WHERE", "the source of the text, which is context and not a request"},
    kAuthor,
    kMessage,
    kTag,
    kMetadata,
    kAttach,
    kJson,
};
constexpr std::array kAssistantOptions = {
    kText,     Option{"--calls", "JSON", "its tool calls: a list of {id, name, arguments}"},
    kModel,    kAuthor,
    kMessage,  kTag,
    kMetadata, kAttach,
    kJson,
};
constexpr std::array kReasoningOptions = {
    kText,
    Option{"--format", "FORMAT", "how it was recorded (default: parsed)", 0, Takes::choice,
           Count::optional, "parsed|reasoning_content|think_tags|anthropic|responses|gemini|raw"},
    kModel,
    kAuthor,
    kMessage,
    kTag,
    kMetadata,
    kAttach,
    kJson,
};
constexpr std::array kToolOptions = {
    kText,
    Option{"--call", "ID", "the call that it answers"},
    Option{"--name", "NAME", "the tool's name"},
    Option{"--error", "", "the call failed"},
    kAuthor,
    kMessage,
    kTag,
    kMetadata,
    kAttach,
    kJson,
};

// Returns the few media types that a provider distinguishes; all others are bytes.
std::string media_type_of(std::string_view path) {
  struct Known {
    std::string_view end;
    const char* type;
  };
  constexpr std::array kKnown = {
      Known{".png", "image/png"},         Known{".jpg", "image/jpeg"},
      Known{".jpeg", "image/jpeg"},       Known{".gif", "image/gif"},
      Known{".webp", "image/webp"},       Known{".pdf", "application/pdf"},
      Known{".txt", "text/plain"},        Known{".md", "text/markdown"},
      Known{".json", "application/json"}, Known{".diff", "text/x-diff"},
      Known{".patch", "text/x-diff"},
  };
  for (const Known& known : kKnown) {
    if (path.ends_with(known.end)) return known.type;
  }
  return "application/octet-stream";
}

Result<std::vector<compile::ToolCall>> parse_calls(Session& session, const std::string& text) {
  const auto document = json::parse(text);
  if (!document || !document.value().root().is_array()) {
    return session.usage_error("'--calls' must be a JSON list",
                               R"(for example '[{"id":"1","name":"ls","arguments":{}}]')");
  }
  std::vector<compile::ToolCall> calls;
  for (const json::Value& call : document.value().root().elements()) {
    const json::Value arguments = call.find("arguments");
    if (!call.find("name").is_string()) {
      return session.usage_error("each of '--calls' needs a name");
    }
    calls.push_back({call.find("id").text(), call.find("name").text(),
                     arguments.is_string() ? arguments.text() : std::string(arguments.raw())});
  }
  return calls;
}

Result<compile::Turn> read_turn(Session& session, const Arguments& arguments, store::Type type) {
  compile::Turn turn;
  turn.type = type;
  turn.text = TRY(text_to_keep(session, arguments.text("text")));
  turn.extra = extra_of(arguments);
  turn.author = arguments.text("--author");
  turn.fields.name = arguments.text("--name");
  turn.fields.call_id = arguments.text("--call");
  turn.fields.is_error = arguments.has("--error");
  if (arguments.text("--role") == "developer") turn.fields.role = "developer";
  if (type == store::Type::reasoning) turn.fields.format = arguments.text("--format", "parsed");
  if (arguments.has("--calls")) {
    turn.fields.tool_calls = TRY(parse_calls(session, arguments.text("--calls")));
  }
  if (arguments.has("--source")) turn.facts.set(fact::retrieved_from, arguments.text("--source"));
  if (arguments.has("--model")) turn.facts.set(fact::model, arguments.text("--model"));
  for (const std::string& path : arguments.all("--attach")) {
    std::string bytes = TRY(read_given_file(path, TRY(session.read_limits()).text));
    turn.attach.push_back({std::move(bytes), media_type_of(path)});
  }
  return turn;
}

Result<void> say(Session& session, compile::Turn turn, bool as_json) {
  Workspace& workspace = *TRY(session.workspace_or_own());
  const std::string name = TRY(workspace.branch_for_writing());
  TRY(check_view(workspace, name));
  graph::Branch branch = workspace.repository().branch(name);
  const std::optional<Oid> before = TRY(branch.tip());
  const Oid after = TRY(branch.commit(std::move(turn)));
  print_made(session, workspace, {name, before, after}, as_json);
  return {};
}

template <store::Type type>
Result<void> run(Session& session, const Arguments& arguments) {
  return say(session, TRY(read_turn(session, arguments, type)), arguments.has("--json"));
}

}  // namespace

extern const Command kSystem{
    .name = "system",
    .summary = "Add a system prompt",
    .options = kSystemOptions,
    .run = run<store::Type::system>,
    .group = Group::write,
};
extern const Command kUser{
    .name = "user",
    .summary = "Add a user turn",
    .options = kUserOptions,
    .run = run<store::Type::user>,
    .group = Group::write,
};
extern const Command kAssistant{
    .name = "assistant",
    .summary = "Add a model's answer, with its tool calls",
    .options = kAssistantOptions,
    .run = run<store::Type::assistant>,
    .group = Group::write,
};
extern const Command kThink{
    .name = "think",
    .summary = "Add a reasoning turn",
    .options = kReasoningOptions,
    .run = run<store::Type::reasoning>,
    .group = Group::write,
    .details =
        "Reasoning is kept and shown, but only sent back to a model if it is pinned or\n"
        "included (compile --include-reasoning). 'reasoning' lists it.",
};
extern const Command kTool{
    .name = "tool",
    .summary = "Add the result of a tool call",
    .options = kToolOptions,
    .run = run<store::Type::tool>,
    .group = Group::write,
};

}  // namespace spoor::cli
