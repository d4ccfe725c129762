#include <array>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/turns/turn_json.h"
#include "cli/common_options.h"
#include "cli/debrief_source.h"
#include "cli/models/open_model.h"
#include "cli/models/treatments.h"
#include "cli/prompt_source.h"
#include "cli/session.h"
#include "cli/views/times.h"
#include "llm/wire/anthropic.h"
#include "llm/wire/openai_chat.h"
#include "llm/wire/plain_text.h"
#include "proxy/sent_turns.h"
#include "trace/coverage.h"

namespace spoor::cli {

using api::harmless_json;
using api::TokenCount;
using proxy::SentTurns;

namespace {

constexpr std::array kOptions = {
    kRevision,
    Option{"--to", "SHAPE", "the request format (default: text)", 0, Takes::choice, Count::optional,
           "openai|anthropic|text"},
    Option{"--model", "PROVIDER/MODEL", "print the whole body that chat would send this model"},
    kAt,
    kWindow,
    kBudget,
    kClearResultsAfter,
    kIncludeReasoning,
    kStrict,
    kFoldVersion,
    Option{"--from-turns", "", "leave out what only a captured request has"},
    Option{"--stat", "", "print on standard error what is in it and what was left out"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor compile --to anthropic", "what Anthropic's API would be sent now"},
    Example{"spoor compile main~40 --to openai",
            "and what OpenAI's would have been 40 commits ago"},
    Example{"spoor compile --budget 8000 --stat", "within 8,000 tokens, and what that left out"},
};

void print_stat(Session& session, const compile::Prompt& prompt) {
  std::array<std::uint64_t, 5> left{};
  for (const compile::LeftOut& out : prompt.left_out) ++left.at(static_cast<std::size_t>(out.why));
  const TokenCount tokens{prompt.tokens, prompt.tokens_estimated};
  std::string line = counted(prompt.messages.size(), "message") + ", " + tokens.text();
  for (std::size_t why = 0; why < left.size(); ++why) {
    if (left[why] == 0) continue;
    line += fmt::format(", {} left out by {}", grouped(left[why]),
                        name_of(static_cast<compile::Why>(why)));
  }
  if (!prompt.conflicts.empty()) line += ", " + counted(prompt.conflicts.size(), "conflict");
  session.err().print(fmt::format("{}\nprompt {}\n", line, prompt.hash.hex()));
}

// Counts pictures that the API does not accept in their place. They are allowed in user messages
// and, except in chat completions, in results.
std::size_t count_unsendable(const compile::Prompt& prompt, bool is_chat) {
  std::size_t count = 0;
  for (const compile::Message& message : prompt.messages) {
    const bool has_place = message.role == "user" || (message.role == "tool" && !is_chat);
    if (!has_place) count += message.pictures().size();
  }
  return count;
}

// Counts calls without a result, and results without a call.
std::size_t count_unpaired(const compile::Prompt& prompt) {
  std::multiset<std::string> open;
  std::size_t count = 0;
  for (const compile::Message& message : prompt.messages) {
    for (const compile::Part& part : message.parts) {
      if (part.type == store::Type::tool) {
        const auto call = open.find(part.fields ? part.fields->call_id : std::string());
        call == open.end() ? void(++count) : void(open.erase(call));
      }
      if (part.calls() == nullptr) continue;
      for (const compile::ToolCall& call : *part.calls()) open.insert(call.id);
    }
  }
  return count + open.size();
}

// Reports the parts that a provider would refuse, since these formats change nothing.
void tell_doubts(Session& session, const compile::Prompt& prompt, bool is_chat) {
  const auto tell = [&](const std::string& what) {
    session.err().print(Style::muted, what).newline();
  };
  if (const std::size_t count = count_unsendable(prompt, is_chat); count > 0) {
    tell(counted(count, "picture") + " left out: the API does not accept it there");
  }
  if (const std::size_t count = count_unpaired(prompt); count > 0) {
    tell(counted(count, "call or result", "calls or results") +
         " without the other half, which providers refuse: use --model");
  }
}

// Prints the request for a provider, and the treatments made for it.
Result<void> print_request(Session& session, const Workspace& workspace,
                           const Arguments& arguments) {
  const auto commit = TRY(prompt_commit(workspace, arguments));
  const auto model = TRY(OpenModel::open(session, arguments.text("--model"), OpenModel::Key::any));
  llm::GenerateOptions options;
  options.compile = compile_options(arguments);
  if (arguments.has("--to")) {
    return session.usage_error("--model uses its provider's format: leave out --to");
  }
  const auto made =
      TRY(llm::render_request(workspace.repository(), commit, model->candidate(), options));
  Output& out = session.out();
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().member("commit", commit).list("treatments");
    for (const auto& treatment : made.treatments) write_treatment(json, treatment);
    out.verbatim(json.end().member("body", made.body).end().take());
    return {};
  }
  out.verbatim(out.is_raw() ? made.body : harmless_json(made.body)).newline().flush();
  for (const auto& treatment : made.treatments) print_treatment(session, workspace, treatment);
  return {};
}

// A session file is not the prompt: most omit the system prompt and the tools.
void tell_coverage(Session& session, const std::optional<trace::Coverage>& coverage) {
  if (!coverage || !coverage->is_partial()) return;
  session.err().print(Style::muted, "partial prompt: " + trace::describe(*coverage)).newline();
}

// Says what of the prompt is as it was sent.
void tell_sent(Session& session, const Workspace& workspace, const SentTurns& sent) {
  const std::string answer = workspace.short_id(*sent.request.answer);
  std::string text = fmt::format("{}, as sent for {}", counted(sent.tools.size(), "tool"), answer);
  if (!sent.request.is_exact) text += " (the agent's own copy)";
  if (!sent.has_messages) {
    text = "system prompt and " + text + "; the messages are the turns of this branch";
  } else if (sent.later > 0) {
    text = "prompt with " + text + ", and " + counted(sent.later, "turn") + " after it";
  } else {
    text = fmt::format("prompt with {}: 'spoor prompt {}' prints its bytes", text, answer);
  }
  session.err().print(Style::muted, text).newline();
}

// Names the turns of a prompt as the store does. Those that only the request has get no name.
void name_turns(compile::Prompt& prompt, const SentTurns& sent, const Oid& commit) {
  const auto name = [&](Oid& oid) {
    const auto found = sent.names.find(oid);
    oid = found == sent.names.end() ? Oid() : found->second;
  };
  prompt.commit = commit;
  for (compile::Message& message : prompt.messages) {
    for (compile::Part& part : message.parts) name(part.commit);
  }
  for (compile::LeftOut& left_out : prompt.left_out) name(left_out.commit);
}

// The tools stand behind the system prompt.
std::string text_of(const compile::Prompt& prompt, const std::vector<std::string>& tools) {
  if (tools.empty()) return llm::wire::plain_text(prompt);
  const std::span<const compile::Message> all = prompt.messages;
  std::size_t count = 0;
  while (count < all.size() && all[count].role == "system") ++count;
  std::string text = llm::wire::plain_text(all.first(count)) + "--- tools\n";
  for (const std::string& tool : tools) text += tool + "\n";
  return text + llm::wire::plain_text(all.subspan(count));
}

std::string array_of(const std::vector<std::string>& tools) {
  return fmt::format("[{}]", fmt::join(tools, ","));
}

void print_json(Session& session, const compile::Prompt& prompt,
                const std::optional<trace::Coverage>& coverage,
                const std::optional<SentTurns>& sent) {
  JsonWriter json;
  json.object();
  write_prompt_facts(json, prompt);
  json.key("coverage");
  coverage ? write_value(json, trace::to_json(*coverage)) : void(json.null());
  json.member_or_null("request", sent ? sent->request.note.hex() : std::string());
  json.key("tools");
  sent ? void(json.json(harmless_json(array_of(sent->tools)))) : void(json.null());
  write_messages(json, prompt);
  session.out().verbatim(json.end().take());
}

Result<void> run(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  Output& out = session.out();
  const auto commit = TRY(prompt_commit(workspace, arguments));
  const bool is_of_turns = !commit || arguments.has("--from-turns") || arguments.has("--model") ||
                           arguments.has(kFoldVersion.name);
  const auto sent =
      is_of_turns ? std::nullopt : TRY(proxy::sent_turns(workspace.repository(), *commit));
  const auto coverage = TRY(trace::imported_coverage(workspace.repository(), commit));
  sent ? tell_sent(session, workspace, *sent) : tell_coverage(session, coverage);
  if (arguments.has("--model")) return print_request(session, workspace, arguments);
  compile::CompileOptions options = compile_options(arguments);
  options.lists_left_out = arguments.has("--json") || arguments.has("--stat");
  const graph::Repository& repository = sent ? *sent->repository : workspace.repository();
  compile::Prompt prompt =
      TRY(repository.compile(sent ? std::optional(sent->tip) : commit, options));
  if (sent) name_turns(prompt, *sent, *commit);
  if (arguments.has("--json")) {
    print_json(session, prompt, coverage, sent);
    return {};
  }
  const std::string shape = arguments.text("--to", "text");
  if (shape == "text") {
    out.print(text_of(prompt, sent ? sent->tools : std::vector<std::string>()));
  } else {
    const auto pictures = TRY(llm::wire::Pictures::read(prompt, repository.reader()));
    std::string body = shape == "openai" ? llm::wire::openai_chat_messages(prompt, pictures)
                                         : llm::wire::anthropic_body(prompt, pictures);
    if (sent && shape == "anthropic" && sent->wire == llm::Wire::anthropic) {
      body.insert(body.size() - 1, ",\"tools\":" + array_of(sent->tools));
    }
    out.verbatim(out.is_raw() ? body : harmless_json(body)).newline();
    tell_doubts(session, prompt, shape == "openai");
  }
  if (arguments.has("--stat")) print_stat(session, prompt);
  return {};
}

}  // namespace

extern const Command kCompile{
    .name = "compile",
    .summary = "Print the prompt a model would be sent at a commit",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "At or after an answer whose request 'spoor with' captured, this is what was sent,\n"
        "with the system prompt and the tools that session files leave out, and the turns\n"
        "after it; --from-turns compiles the turns of the branch alone, as diff, blame and\n"
        "chat do. So does an edit, a skip or a pin after that request.\n"
        "\n"
        "The same commit and the same options always give the same bytes, in every copy of\n"
        "the store. openai prints the messages of a chat completions request, anthropic the\n"
        "system prompt and messages of a Messages request, with pictures. --model prints\n"
        "the whole body that 'chat' would send this model: with the reasoning that its\n"
        "provider requires, and a result for every call; such additions are reported on\n"
        "standard error. Control characters are printed as JSON escapes, which mean the\n"
        "same; --raw prints the bytes as they are sent.",
    .examples = kExamples,
};

}  // namespace spoor::cli
