#include <array>

#include <fmt/format.h>

#include "api/turns/found_turns.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/time_argument.h"
#include "cli/views/call_matches.h"
#include "cli/views/match_lines.h"
#include "cli/views/name_labels.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"

namespace spoor::cli {

using api::HistoryQuery;
using api::is_kind;
using api::JsonWriter;
using api::kinds_hint;
using api::Matcher;
using api::TurnSearch;

namespace {

constexpr std::size_t kLinesShown = 3;

constexpr std::array kOptions = {
    Option{"text", "TEXT", "the exact text to find", 0, Takes::text, Count::one},
    Option{"--query", "", "treat TEXT as words, \"phrases\", prefix*, AND, OR, NOT and ( )"},
    Option{"--type", "TYPE", "only turns of this type; may be given again", 0, Takes::type,
           Count::many},
    Option{"--author", "NAME", "only turns whose author contains this text"},
    Option{"--since", "TIME", "only turns at or after this time", 0, Takes::time},
    Option{"--until", "TIME", "only turns at or before this time", 0, Takes::time},
    Option{"--branch", "NAME", "only the history of this branch; may be given again", 0,
           Takes::branch, Count::many},
    Option{"--limit", "N", "at most N turns", 'n', Takes::number},
    kJson,
    kStream,
};

constexpr std::array kExamples = {
    Example{"spoor search 'largest remainder'", "every turn that contains it, on any branch"},
    Example{"spoor search 10.74 --type tool --since yesterday", "tool results since yesterday"},
    Example{"spoor search --query '\"largest remainder\" NOT tax'",
            "words, in upper or lower case"},
    Example{"spoor search TODO --branch main -n 5", "the last five on main"},
};

Result<TurnSearch> read_search(Session& session, const Workspace& workspace,
                               const Arguments& arguments) {
  TurnSearch search;
  search.text = arguments.text("text");
  if (search.text.empty()) return session.usage_error("the text is empty");
  search.is_query = arguments.has("--query");
  HistoryQuery& where = search.where;
  for (const std::string& branch : arguments.all("--branch")) {
    const auto tip = TRY(workspace.repository().store().ref(store::branch_ref(branch)));
    if (!tip) {
      return not_found(fmt::format("no branch '{}'", branch), "list them with 'spoor branch'");
    }
    where.tips.push_back(*tip);
  }
  if (!arguments.has("--branch")) TRY(add_all(workspace, where));
  for (const std::string& type : arguments.all("--type")) {
    if (!is_kind(type))
      return session.usage_error(fmt::format("unknown type '{}'", type), kinds_hint());
    where.types.push_back(type);
  }
  where.author = arguments.text("--author");
  where.since = TRY(time_argument(session, arguments, "--since"));
  where.until = TRY(time_argument(session, arguments, "--until"));
  if (arguments.has("--limit")) {
    where.limit = static_cast<std::uint64_t>(arguments.number("--limit", 0));
  }
  return search;
}

void print_found(Session& session, const Workspace& workspace, const Decorations& decorations,
                 const TurnView& view, const Matcher& matcher) {
  Output& out = session.out();
  print_id(out, workspace, listed_id(out, workspace, view.oid));
  if (view.commit->time) {
    out.print("  " + shown_time(out, *view.commit->time, session.clock().now()));
  }
  const std::string kind = view.is_reasoning() ? "[reasoning]" : std::string(view.kind());
  out.print("  ").print(style_of(view), kind);
  print_names(out, decorations, view.oid);
  out.newline();
  const Style style = view.is_reasoning() ? Style::reasoning : Style::plain;
  const std::string_view text = view.text_or_empty();
  print_match_lines(out, style, text, matcher(text), "    ", kLinesShown);
  print_call_matches(out, view.calls(), matcher, "    ", kLinesShown);
}

Result<void> run(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  const TurnSearch search = TRY(read_search(session, workspace, arguments));
  const Decorations decorations = TRY(Decorations::read(workspace));
  const bool stream = arguments.has("--stream");
  const bool as_json = stream || arguments.has("--json");
  JsonWriter json(stream);
  if (as_json && !stream) json.object().list("turns");
  bool is_found = false;
  TRY(find_turns(workspace, search, [&](const TurnView& view, const Matcher& matcher) {
    is_found = true;
    if (!as_json) {
      print_found(session, workspace, decorations, view, matcher);
    } else {
      write_found(json, view, matcher, decorations.at(view.oid));
      if (stream) session.out().verbatim(json.take());
    }
    return !session.out().is_closed();
  }));
  if (as_json && !stream) session.out().verbatim(json.end().end().take());
  if (!is_found) session.exit_with(kExitFailed);  // Like grep.
  return {};
}

}  // namespace

extern const Command kSearch{
    .name = "search",
    .summary = "Search the texts of all turns",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "Finds the turns of any type, including edits and summaries, that contain TEXT byte\n"
        "for byte, and shows the matching lines: in their text, in the name of a tool they\n"
        "call, or in its arguments (the strings in them, and the whole as the provider\n"
        "wrote it). Turns are listed newest first, by their times. Searches everything\n"
        "that a branch, a tag or HEAD leads to. Exits with status 1 if nothing is found.\n"
        "\n"
        "With --query, TEXT is a list of words that must all occur, in upper or lower case;\n"
        "\"some words\" is a phrase, some* any word with this prefix; AND, OR, NOT in\n"
        "capitals and parentheses combine them. NOT binds closest, then AND. The query uses\n"
        "an index next to the store file, FILE-search; it is updated first, and may be\n"
        "deleted at any time.",
    .examples = kExamples,
};

}  // namespace spoor::cli
