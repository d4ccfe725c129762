#include <array>

#include <fmt/format.h>

#include "api/turns/turn_json.h"
#include "cli/common_options.h"
#include "cli/prompt_source.h"
#include "cli/session.h"
#include "cli/views/prompt_blocks.h"

namespace spoor::cli {
namespace {

constexpr std::array kOptions = {
    kRevision,
    Option{"--style", "STYLE", "chat, compact, table or json (default: chat)", 0, Takes::choice,
           Count::optional, "chat|compact|table|json"},
    Option{"--all", "", "also what was left out, and why"},
    Option{"--full", "", "do not shorten the arguments of calls"},
    kAt,
    kWindow,
    kBudget,
    kIncludeReasoning,
    kStrict,
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor pprint", "the prompt at HEAD, as a conversation"},
    Example{"spoor pprint main~40 --all", "the prompt 40 commits back, with what is not in it"},
    Example{"spoor pprint --style table", "one line per message, with sizes"},
};

void print_json(Session& session, const compile::Prompt& prompt, const std::vector<Block>& blocks) {
  JsonWriter json;
  json.object();
  write_prompt_facts(json, prompt);
  json.list("messages");
  for (const Block& block : blocks) write_block(json, block);
  session.out().verbatim(json.end().end().take());
}

Result<void> run(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  const compile::Prompt prompt = TRY(compile_named(workspace, arguments));
  const std::vector<Block> blocks = TRY(blocks_of(workspace, prompt, arguments.has("--all")));
  const std::string style = arguments.has("--json") ? "json" : arguments.text("--style", "chat");
  if (style == "json") {
    print_json(session, prompt, blocks);
    return {};
  }
  if (blocks.empty()) {
    session.err().print("the prompt is empty\n");
    return {};
  }
  if (style == "table") {
    print_table(session.out(), workspace, blocks);
  } else if (style == "compact") {
    for (const Block& block : blocks) print_compact(session.out(), workspace, block);
  } else {
    for (const Block& block : blocks) {
      print_chat(session.out(), workspace, block, arguments.has("--full"));
      if (session.out().is_closed()) break;
    }
  }
  return {};
}

}  // namespace

extern const Command kPprint{
    .name = "pprint",
    .summary = "Print a compiled prompt as a conversation",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "With --all, turns that are not in the prompt are shown in their place, dim, with\n"
        "the reason: skip (by its type or an annotation, whose reason is quoted), directive\n"
        "(replaced by another of its name), window or budget.",
    .examples = kExamples,
};

}  // namespace spoor::cli
