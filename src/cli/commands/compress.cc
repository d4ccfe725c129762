#include <array>

#include "api/json_writer.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/recording/child.h"
#include "cli/session.h"
#include "cli/views/times.h"
#include "compile/entry_part.h"
#include "graph/range.h"
#include "llm/wire/plain_text.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

using graph::CompressRange;

constexpr std::array kOptions = {
    Option{"text", "TEXT", "the summary; - reads standard input", 0, Takes::prose},
    Option{"--from", "REV", "the first turn to summarise (default: the first)", 0, Takes::revision},
    Option{"--to", "REV", "the last turn to summarise (default: the last)", 0, Takes::revision},
    Option{"--type", "TYPE", "only summarise turns of this type", 0, Takes::choice, Count::optional,
           "system|user|assistant|reasoning|tool|artifact|summary"},
    Option{"--keep-reasoning", "", "do not summarise reasoning"},
    Option{"--command", "COMMAND", "a shell command that reads the turns and prints the summary"},
    kMessage,
    kAuthor,
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor compress --to HEAD~10 'We found the bug in the parser.'",
            "one summary for all but the newest turns"},
    Example{"spoor compress --type reasoning --command 'head -c 400'",
            "summarise the thinking, leave the answers"},
};

Result<CompressRange> range_of(const Workspace& workspace, const Arguments& arguments) {
  CompressRange range;
  if (arguments.has("--from")) range.from = TRY(workspace.resolve(arguments.text("--from")));
  if (arguments.has("--to")) range.to = TRY(workspace.resolve(arguments.text("--to")));
  if (arguments.has("--type")) range.only = store::type_from(arguments.text("--type"));
  range.keep_reasoning = arguments.has("--keep-reasoning");
  return range;
}

// Returns the turns to be summarised, as `compile --to text` writes a prompt, for a command to
// read.
Result<std::string> texts_of(const Workspace& workspace, const Oid& tip,
                             const CompressRange& range) {
  const auto state = TRY(workspace.repository().folder().at(tip));
  std::string all;
  for (const Oid& target : TRY(graph::choose(*state, range)).targets) {
    const compile::Entry* entry = state->find(target);
    auto text = TRY(workspace.reader().content(entry->content));
    all +=
        llm::wire::plain_text(compile::role_of(*entry), compile::part_of(*entry, std::move(text)));
  }
  return all;
}

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  if (arguments.has("text") && arguments.has("--command")) {
    return session.usage_error("'spoor compress' takes a summary or --command, not both",
                               "leave one of them out");
  }
  if (!arguments.has("text") && !arguments.has("--command")) {
    return session.usage_error("'spoor compress' needs a summary, or --command to make one",
                               "try 'spoor compress --to HEAD~10 TEXT'");
  }
  const CompressRange range = TRY(range_of(workspace, arguments));
  compile::Turn summary;
  summary.type = store::Type::summary;
  std::optional<Oid> read;  // The tip that the command has seen.
  if (arguments.has("--command")) {
    read = TRY(workspace.resolve("HEAD"));
    summary.text =
        TRY(filter_through(arguments.text("--command"), TRY(texts_of(workspace, *read, range))));
    if (summary.text.empty()) {
      return invalid("the command printed no summary", "nothing was written");
    }
  } else {
    summary.text = TRY(text_to_keep(session, arguments.text("text")));
  }

  graph::Compressed done;
  const Made made = TRY(write_on_branch(
      workspace, "compress", [&](graph::Draft& draft, const std::string& ref) -> Result<Oid> {
        if (read && TRY(draft.tip(ref)) != read) {
          return conflict("another turn was written while the command ran",
                          "nothing was written; run it again");
        }
        done = TRY(draft.compress(ref, range, summary, signed_by(arguments)));
        return done.commit;
      }));
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().member("branch", made.branch).member("before", made.before);
    json.member("hash", made.after).member("sources", static_cast<std::uint64_t>(done.sources));
    json.member("kept", static_cast<std::uint64_t>(done.kept)).end();
    session.out().verbatim(json.take());
    return {};
  }
  std::string says = ", " + counted(done.sources, "turn") + " summarised";
  if (done.kept > 0) says += ", " + counted(done.kept, "turn") + " kept";
  print_made(session, workspace, made, false, says);
  return {};
}

}  // namespace

extern const Command kCompress{
    .name = "compress",
    .summary = "Replace a range of turns by a summary",
    .options = kOptions,
    .run = run,
    .group = Group::write,
    .details =
        "Pinned turns stay; a call and its results stay or are summarised together. A\n"
        "summary of reasoning only is left out of a prompt, as reasoning is. The original\n"
        "turns stay in the history, and the summary can be undone. COMMAND reads the turns\n"
        "in the format of 'compile --to text', with their calls and results.",
    .examples = kExamples,
};

}  // namespace spoor::cli
