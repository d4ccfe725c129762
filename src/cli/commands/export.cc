#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/history.h"
#include "cli/json_writer.h"
#include "cli/markdown.h"
#include "cli/prompt_source.h"
#include "cli/session.h"
#include "cli/turn_json.h"
#include "llm/wire/anthropic.h"
#include "llm/wire/openai_chat.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    kRevision,
    Option{"--jsonl", "", "the turns as JSON, one a line, oldest first"},
    Option{"--markdown", "", "the turns as a page to read"},
    Option{"--openai", "", "the prompt as the body of a chat completions request"},
    Option{"--anthropic", "", "the prompt as the body of a Messages request"},
    kAt,
    kWindow,
    kBudget,
    kIncludeReasoning,
    kStrict,
};

struct Shown {
  Oid oid;
  Marks marks;
};

// The turns of a history, oldest first.
Result<std::vector<Shown>> turns_of(const Workspace& workspace, const Oid& tip) {
  HistoryQuery query;
  query.tips = {tip};
  std::vector<Shown> turns;
  TRY(walk(workspace, query, [&](const HistoryStep& step) {
    turns.push_back({step.view.oid, step.marks});
    return true;
  }));
  std::reverse(turns.begin(), turns.end());
  return turns;
}

Result<void> export_turns(Session& session, const Workspace& workspace, const Arguments& arguments,
                          bool as_page) {
  const auto tip = TRY(prompt_commit(workspace, arguments));
  if (!tip) return {};
  Output& out = session.out();
  if (as_page) out.print(fmt::format("# {}\n\n", tip->hex()));
  for (const Shown& turn : TRY(turns_of(workspace, *tip))) {
    if (out.is_closed()) break;
    const TurnView view = TRY(read_view(workspace.reader(), turn.oid));
    if (as_page) {
      out.print(markdown_of(view));
      continue;
    }
    JsonWriter json(true);
    write_commit(json, view, turn.marks, view.tokens(workspace.repository().counter()), {});
    out.verbatim(json.take());
  }
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  constexpr std::array kForms = {"--jsonl", "--markdown", "--openai", "--anthropic"};
  const auto given = [&](const char* form) { return arguments.has(form); };
  if (std::count_if(kForms.begin(), kForms.end(), given) != 1) {
    return session.usage_error("export takes one of --jsonl, --markdown, --openai, --anthropic",
                               "see 'spoor help export'");
  }
  const Workspace& workspace = *TRY(session.workspace());
  if (arguments.has("--jsonl") || arguments.has("--markdown")) {
    return export_turns(session, workspace, arguments, arguments.has("--markdown"));
  }
  const compile::Prompt prompt = TRY(compile_named(workspace, arguments));
  const std::string body = arguments.has("--openai")
                               ? "{\"messages\":" + llm::wire::openai_chat_messages(prompt) + "}"
                               : llm::wire::anthropic_body(prompt);
  Output& out = session.out();
  out.verbatim(out.is_raw() ? body : harmless_json(body)).newline();
  return {};
}

constexpr std::array kExamples = {
    Example{"spoor export --markdown > session.md", "a page to read or to mail"},
    Example{"spoor export main --jsonl", "every turn, for other programs"},
};

}  // namespace

extern const Command kExport{
    .name = "export",
    .summary = "Print a history as JSON lines, Markdown or a provider's request",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "jsonl and markdown give the turns as they were made, reasoning too, edits as turns of\n"
        "their own; each line of jsonl is a document of 'spoor show --json'. On a page every text\n"
        "stands in a block whose fence is longer than any inside, so none can pose as the page.\n"
        "openai and anthropic give the prompt, as 'spoor compile' does, with its options. A whole\n"
        "store, with ids and branches, is written by 'spoor archive'.",
    .examples = kExamples,
};

}  // namespace spoor::cli
