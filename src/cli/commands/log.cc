#include <array>

#include <fmt/format.h>

#include "api/turns/history.h"
#include "api/turns/turn_json.h"
#include "cli/common_options.h"
#include "cli/follow.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/time_argument.h"
#include "cli/views/graph.h"
#include "cli/views/listing.h"
#include "cli/views/name_labels.h"
#include "cli/views/request_view.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "store/ancestry.h"

namespace spoor::cli {

using api::Head;
using api::HistoryQuery;
using api::HistoryStep;
using api::is_kind;
using api::JsonWriter;
using api::kinds_hint;

namespace {

constexpr const char* kLimit = "--limit";

constexpr std::array kOptions = {
    Option{"revision", "REV", "where to start, or A..B or A...B (see 'help revisions')", 0,
           Takes::revision, Count::many},
    Option{"--commits", "", "one entry per commit, also for an imported session"},
    Option{"--oneline", "", "one line per commit"},
    Option{"--graph", "", "draw a graph of the history"},
    Option{"--all", "", "start at every branch and tag, not at HEAD"},
    Option{"--all-commits", "", "also annotations and settings"},
    Option{"--type", "TYPE", "only commits of this type; may be given again", 0, Takes::type,
           Count::many},
    Option{"--author", "NAME", "only commits whose author contains this text"},
    Option{"--since", "TIME", "only commits at or after this time", 0, Takes::time},
    Option{"--until", "TIME", "only commits at or before this time", 0, Takes::time},
    Option{"--grep", "TEXT", "only commits whose text or tool calls contain this"},
    Option{"--ignore-case", "", "make --grep and --author case-insensitive", 'i'},
    Option{kLimit, "N", "at most N commits, or requests of a session", 'n', Takes::number},
    Option{"--patch", "", "with the text of each", 'p'},
    Option{"--stat", "", "with the size of each"},
    Option{"--counterfactual", "", "mark answers whose history was rewritten"},
    Option{"--follow", "", "print turns as they are written, of REV or of all branches", 'f'},
    kJson,
    kStream,
};

constexpr std::array kExamples = {
    Example{"spoor log --oneline --graph --all", "all branches, drawn"},
    Example{"spoor log --type reasoning -n 5 -p", "the last five reasoning turns, in full"},
    Example{"spoor log main..topic", "the commits in topic but not in main"},
    Example{"spoor log --follow",
            "what your agents do, as 'spoor watch' and 'spoor with' write it"},
    Example{"spoor log --json --stream | head -3", "one JSON object per commit"},
};

class LogPrinter {
 public:
  LogPrinter(Session& session, const Workspace& workspace, const Arguments& arguments,
             Decorations decorations)
      : out_(session.out()),
        workspace_(workspace),
        decorations_(std::move(decorations)),
        now_(session.clock().now()),
        one_line_(arguments.has("--oneline")),
        with_graph_(arguments.has("--graph")),
        with_text_(arguments.has("--patch")),
        with_stat_(arguments.has("--stat")) {}

  void print(const HistoryStep& step) {
    Graph::Rows rows;
    if (with_graph_) {
      rows = graph_.next(step.view.oid, step.view.commit->parents, !step.is_shown);
      for (const std::string& row : rows.before) out_.print(Style::hunk, row).newline();
    }
    if (step.is_shown) {
      begin_line(rows.commit);
      one_line_ ? print_short(step) : print_head(step);
      if (!one_line_) print_summary(step, rows.after);
      if (with_stat_) print_stat(step.view, rows.after);
      if (with_text_) print_text(step.view, rows.after);
    }
    for (const std::string& row : rows.below) out_.print(Style::hunk, row).newline();
  }

 private:
  const compile::TokenCounter& counter() const { return workspace_.repository().counter(); }

  void begin_line(const std::string& graph) {
    left_ = out_.is_tty() ? out_.width() : 0;
    if (!with_graph_) return;
    out_.print(Style::hunk, graph).print(" ");
    left_ -= display_width(graph) + 1;
  }

  // Prints `text`, at a terminal cut to the rest of the line.
  void print_cut(Style style, std::string text, int columns) {
    text = visible_line(text);
    if (out_.is_tty()) text = truncated(text, std::max(columns, 8));
    out_.print(style, text);
  }

  void print_short(const HistoryStep& step) {
    const TurnView& view = step.view;
    const ListedId id = listed_id(out_, workspace_, view.oid);
    print_id(out_, workspace_, id);
    print_names(out_, decorations_, view.oid);
    const std::string kind = view.is_reasoning() ? "[reasoning]" : std::string(view.kind());
    out_.print(" ").print(style_of(view), padded(kind, 11)).print(" ");
    const int used = id.width() + width_of_names(decorations_, view.oid) + 13;
    print_cut(view.is_reasoning() ? Style::reasoning : Style::plain, view.summary(), left_ - used);
    out_.newline();
  }

  // Prints short id, time, type, model, tokens, marks, refs.
  void print_head(const HistoryStep& step) {
    const TurnView& view = step.view;
    const ListedId id = listed_id(out_, workspace_, view.oid);
    const std::string kind = view.is_reasoning() ? "[reasoning]" : std::string(view.kind());
    const std::string time = view.commit->time ? shown_time(out_, *view.commit->time, now_) : "";
    const std::string tokens = view.commit->content ? step.tokens(counter()).text() : "";
    std::string model = visible_line(view.model());
    const auto marks = step.marks.words(view.commit->type.value_or(store::Type::summary));

    if (out_.is_tty()) {  // Omit the model's name if the line is too long.
      int used = id.width() + 2 + display_width(kind) + width_of_names(decorations_, view.oid);
      for (const std::string_view part : {std::string_view(time), std::string_view(tokens)}) {
        if (!part.empty()) used += display_width(part) + 2;
      }
      for (const std::string_view mark : marks) used += display_width(mark) + 2;
      const int room = left_ - used - 2;
      model = room < 8 ? "" : truncated(model, room);
    }
    print_id(out_, workspace_, id);
    if (!time.empty()) out_.print("  " + time);
    out_.print("  ").print(style_of(view), kind);
    if (!model.empty()) out_.print("  ").print(Style::muted, model);
    if (!tokens.empty()) out_.print("  " + tokens);
    for (const std::string_view mark : marks) {
      out_.print("  ").print(mark == "edited" ? Style::edited : Style::pinned, mark);
    }
    print_names(out_, decorations_, view.oid);
    out_.newline();
  }

  void print_summary(const HistoryStep& step, const std::string& graph) {
    begin_line(graph);
    const bool is_dim = step.view.is_reasoning();
    out_.print("    ");
    print_cut(is_dim ? Style::reasoning : Style::plain, step.view.summary(), left_ - 4);
    out_.newline();
  }

  void print_stat(const TurnView& view, const std::string& graph) {
    const std::string_view text = view.text_or_empty();
    std::uint64_t lines = text.empty() || text.back() == '\n' ? 0 : 1;
    for (const char c : text) lines += c == '\n' ? 1 : 0;
    std::string stat = counted(text.size(), "byte") + ", " + counted(lines, "line");
    if (view.fields.tool_calls && !view.fields.tool_calls->empty()) {
      stat += ", " + counted(view.fields.tool_calls->size(), "call");
    }
    if (!view.commit->attach.empty()) {
      stat += ", " + counted(view.commit->attach.size(), "attachment");
    }
    begin_line(graph);
    out_.print(Style::muted, "    " + stat).newline();
  }

  void print_text(const TurnView& view, const std::string& graph) {
    const Style style = view.is_reasoning() ? Style::reasoning : Style::plain;
    const auto line = [&](Style how, std::string_view text) {
      begin_line(graph);
      if (!text.empty()) out_.print("    ").print(how, text);
      out_.newline();
    };
    line(style, "");
    for_each_line(view.shown_text(), [&](std::string_view text) { line(style, text); });
    if (view.fields.tool_calls) {
      for (const compile::ToolCall& call : *view.fields.tool_calls) {
        line(Style::tool, "→ " + call.name + " " + call.id);
        for_each_line(call.arguments,
                      [&](std::string_view text) { line(style, "  " + std::string(text)); });
      }
    }
    line(style, "");
  }

  Output& out_;
  const Workspace& workspace_;
  Decorations decorations_;
  Timestamp now_;
  bool one_line_;
  bool with_graph_;
  bool with_text_;
  bool with_stat_;
  Graph graph_;
  int left_ = 0;  // Columns left of the line, at a terminal.
};

Result<HistoryQuery> read_query(Session& session, const Workspace& workspace,
                                const Arguments& arguments) {
  HistoryQuery query;
  if (arguments.has("--all")) TRY(add_all(workspace, query));
  for (const std::string& text : arguments.all("revision")) {
    TRY(add_revision(workspace, text, query));
  }
  if (query.tips.empty() && !arguments.has("--all") && !arguments.has("revision")) {
    TRY(add_revision(workspace, workspace.here(), query));
  }
  for (const std::string& type : arguments.all("--type")) {
    if (!is_kind(type))
      return session.usage_error(fmt::format("unknown type '{}'", type), kinds_hint());
    query.types.push_back(type);
  }
  query.author = arguments.text("--author");
  query.grep = arguments.text("--grep");
  query.ignore_case = arguments.has("--ignore-case");
  query.with_bookkeeping = arguments.has("--all-commits");
  query.with_hidden = arguments.has("--graph");
  query.counterfactual = arguments.has("--counterfactual");
  query.since = TRY(time_argument(session, arguments, "--since"));
  query.until = TRY(time_argument(session, arguments, "--until"));
  if (arguments.has("--limit")) {
    query.limit = static_cast<std::uint64_t>(arguments.number("--limit", 0));
  }
  return query;
}

Result<void> print_json(Session& session, const Workspace& workspace, HistoryQuery query,
                        bool stream) {
  query.with_hidden = false;
  const Decorations decorations = TRY(Decorations::read(workspace));
  JsonWriter json(stream);
  if (!stream) json.object().list("commits");
  TRY(walk(workspace, query, [&](const HistoryStep& step) {
    write_entry(json, step.view, step.marks, step.tokens(workspace.repository().counter()),
                decorations.at(step.view.oid));
    if (stream) session.out().verbatim(json.take());
    return !session.out().is_closed();
  }));
  if (!stream) session.out().verbatim(json.end().end().take());
  return {};
}

// Returns the session to be shown as a whole: the revision begins with an importer's commit, and no
// option selects single commits.
Result<std::optional<std::string>> asked_session(const Workspace& workspace,
                                                 const Arguments& arguments) {
  using Asked = std::optional<std::string>;
  for (const Option& option : kOptions) {
    const bool is_about_commits =
        !option.is_positional() && option.name != std::string_view(kLimit);
    if (is_about_commits && arguments.has(option.name)) return Asked();
  }
  if (arguments.all("revision").size() > 1) return Asked();
  const std::string revision = arguments.text("revision", workspace.here());
  if (revision.find("..") != std::string::npos) return Asked();
  const auto head = TRY(workspace.resolve_or_empty(revision));
  if (!head) return Asked();
  const store::Oid root = TRY(store::ancestor_at(workspace.reader(), *head, 0));
  const auto first = TRY(workspace.reader().commit(root));
  const auto facts = TRY(compile::read_facts(first->meta));
  const bool is_imported = !facts.get(fact::source).empty() && !facts.get(fact::session).empty();
  return is_imported ? Asked(revision) : Asked();
}

// Prints what is written from now on.
Result<void> follow(Session& session, const Workspace& workspace, const Arguments& arguments) {
  const std::string revision = arguments.text("revision");
  std::string branch;
  if (!revision.empty()) {
    branch = store::branch_ref(revision);
    const bool is_there = TRY(workspace.repository().store().ref(branch)).has_value();
    if (!is_there) branch = store::branch_ref(TRY(workspace.find_branch(revision)));
  }
  const bool is_json = arguments.has("--json") || arguments.has("--stream");
  return follow_turns(session, workspace, branch, is_json);
}

Result<void> run(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  if (arguments.has("--follow")) return follow(session, workspace, arguments);
  if (const auto asked = TRY(asked_session(workspace, arguments))) {
    Arguments request;
    request.add("revision", *asked);
    if (arguments.has(kLimit)) request.add(kLimit, arguments.text(kLimit));
    return run_listing<api::kRequests, RequestView>(session, request);
  }
  const HistoryQuery query = TRY(read_query(session, workspace, arguments));
  if (arguments.has("--json") || arguments.has("--stream")) {
    return print_json(session, workspace, query, arguments.has("--stream"));
  }
  if (query.tips.empty()) {
    const Head head = TRY(workspace.head());
    session.err().print(fmt::format("no commits yet on {}\n", head.branch));
    return {};
  }
  const bool past_bookkeeping = !query.with_bookkeeping && query.types.empty();
  Decorations decorations = TRY(Decorations::read(workspace, past_bookkeeping));
  decorations.mark_view(workspace.view());
  LogPrinter printer(session, workspace, arguments, std::move(decorations));
  return walk(workspace, query, [&](const HistoryStep& step) {
    printer.print(step);
    return !session.out().is_closed();
  });
}

}  // namespace

extern const Command kLog{
    .name = "log",
    .summary = "Show the history of a session or a branch, newest first",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "An imported session is shown by its requests, newest first, each with what the\n"
        "agent did ('spoor requests'); any option except -n shows its commits.\n"
        "\n"
        "Each commit takes two lines: its id, time, type, model, tokens and names, then its\n"
        "text. Reasoning is marked [reasoning]. Annotations and settings are hidden, but\n"
        "their effect is shown on the turn they concern: pinned, skipped, edited,\n"
        "summarised. An answer is counterfactual if the prompt before it is no longer the\n"
        "one it answered, for example after a rebase. It is unknown for answers without a\n"
        "recorded request.\n"
        "\n"
        "Commits are listed children before parents, and merged commits before the branch\n"
        "they were merged into. Timestamps are ignored. Token counts with ≈ are estimates\n"
        "of the text; other counts are the provider's for its whole message, shown at its\n"
        "last part.",
    .examples = kExamples,
};

}  // namespace spoor::cli
