#include <array>

#include <fmt/format.h>

#include "api/turns/thoughts.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/calls_text.h"
#include "cli/views/match_lines.h"
#include "cli/views/turn_text.h"
#include "graph/asking.h"

namespace spoor::cli {

using api::HistoryQuery;
using api::JsonWriter;
using api::matches_of;
using api::read_view;
using api::Thought;

namespace {

constexpr std::size_t kLinesShown = 3;

constexpr std::array kOptions = {
    Option{"revision", "REV",
           "a turn, or a session, a branch or A..B to list (default: up to HEAD)", 0,
           Takes::revision},
    Option{"--search", "TEXT",
           "only reasoning that contains this exact text, as written or as edited"},
    Option{"--all", "", "list the reasoning of every branch and tag"},
    Option{"--limit", "N", "list at most N", 'n', Takes::number},
    Option{"--patch", "", "list whole texts", 'p'},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor reasoning 57", "all reasoning of session 57, with the answers it led to"},
    Example{"spoor reasoning 3f2a91c4", "the reasoning before that turn, in full"},
    Example{"spoor reasoning main~20.. --search cents", "reasoning that contains 'cents'"},
};

class ThoughtPrinter {
 public:
  ThoughtPrinter(Session& session, const Workspace& workspace, std::string needle, bool in_full)
      : out_(session.out()),
        workspace_(workspace),
        needle_(std::move(needle)),
        in_full_(in_full),
        now_(session.clock().now()) {}

  void print(const Thought& thought) {
    head(thought);
    words(thought.view, Style::reasoning);
    if (!thought.edit) return;
    out_.print("  ").print(Style::edited, "edited by ");
    print_id(out_, workspace_, listed_id(out_, workspace_, thought.edit->oid));
    out_.newline();
    words(*thought.edit, Style::reasoning);
  }

  // Prints the answer, once, below all the reasoning for it.
  void print_answer(const TurnView& answer) {
    out_.print(Style::muted, "  led to ");
    print_id(out_, workspace_, listed_id(out_, workspace_, answer.oid));
    out_.newline();
    line("    ", Style::plain, answer.summary());
  }

 private:
  void words(const TurnView& view, Style style) {
    const auto matches = matches_of(view.text_or_empty(), needle_);
    if (in_full_) {
      print_text(out_, style, view.text_or_empty(), "    ");
    } else if (!matches.empty()) {
      print_match_lines(out_, style, view.text_or_empty(), matches, "    ", kLinesShown);
    } else {
      // For an edit its text, since its summary only names the edited turn.
      const bool is_edit = view.commit->op == store::Op::edit;
      line("    ", style, is_edit ? compile::preview(view.text_or_empty(), 200) : view.summary());
    }
  }

  void head(const Thought& thought) {
    const TurnView& view = thought.view;
    print_id(out_, workspace_, listed_id(out_, workspace_, view.oid));
    if (view.commit->time) out_.print("  " + shown_time(out_, *view.commit->time, now_));
    out_.print("  ").print(Style::reasoning, "[reasoning]");
    if (const std::string model = visible_line(view.model()); !model.empty()) {
      out_.print("  ").print(Style::muted, model);
    }
    if (thought.edit) out_.print("  ").print(Style::edited, "edited");
    out_.newline();
  }

  void line(std::string_view indent, Style style, const std::string& summary) {
    std::string text = visible_line(summary);
    const int room = out_.width() - static_cast<int>(indent.size());
    if (out_.is_tty()) text = truncated(text, std::max(room, 8));
    out_.print(indent).print(style, text).newline();
  }

  Output& out_;
  const Workspace& workspace_;
  std::string needle_;
  bool in_full_;
  Timestamp now_;
};

Result<void> show_one(Session& session, const Workspace& workspace, const std::string& revision,
                      bool as_json) {
  Oid commit = TRY(workspace.resolve(revision));
  if (const auto asking = TRY(graph::asking_of(workspace.reader(), commit))) {
    commit = asking->answer;
  }
  const auto thoughts = thoughts_behind(workspace, commit);
  if (!thoughts && thoughts.error().code == Error::Code::invalid) {
    const auto kind = TRY(read_view(workspace.reader(), commit)).kind();
    return invalid(
        fmt::format("{} is of type {}: it has no reasoning", workspace.short_id(commit), kind),
        "name an answer or a reasoning turn; to add one: spoor think TEXT");
  }
  const std::vector<Thought> found = TRY(thoughts);
  if (as_json) {
    JsonWriter json;
    json.object().list("reasoning");
    for (const Thought& thought : found) write_thought(json, thought, {});
    session.out().verbatim(json.end().end().take());
    return {};
  }
  if (found.empty()) {
    session.err().print(
        fmt::format("no reasoning is recorded before {}\n", workspace.short_id(commit)));
    return {};
  }
  ThoughtPrinter printer(session, workspace, {}, true);
  for (const Thought& thought : found) printer.print(thought);
  if (found.back().answer) printer.print_answer(*found.back().answer);
  return {};
}

Result<void> list(Session& session, const Workspace& workspace, const Arguments& arguments) {
  HistoryQuery query;
  query.text = arguments.text("--search");
  if (arguments.has("--all")) TRY(add_all(workspace, query));
  if (arguments.has("revision") || !arguments.has("--all")) {
    TRY(add_revision(workspace, arguments.text("revision", workspace.here()), query));
  }
  if (arguments.has("--limit")) {
    query.limit = static_cast<std::uint64_t>(arguments.number("--limit", 0));
  }
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().list("reasoning");
    TRY(walk_thoughts(workspace, query, [&](const Thought& thought) {
      write_thought(json, thought, query.text);
      return true;
    }));
    session.out().verbatim(json.end().end().take());
    return {};
  }
  ThoughtPrinter printer(session, workspace, query.text, arguments.has("--patch"));
  bool any = false;
  TRY(walk_thoughts(workspace, query, [&](const Thought& thought) {
    any = true;
    printer.print(thought);
    if (thought.answer) printer.print_answer(*thought.answer);
    return !session.out().is_closed();
  }));
  if (!any) session.err().print("no reasoning matches\n");
  return {};
}

// Returns whether the word names a history and not one of its turns: a branch or a session.
Result<bool> is_history(const Workspace& workspace, const std::string& word) {
  if (TRY(workspace.repository().store().ref(store::branch_ref(word)))) return true;
  // Sessions are looked through for a word alone that names nothing else, as by resolve().
  if (word.find_first_of("~^@:") != std::string::npos) return false;
  const auto head = TRY(workspace.head_commit());
  return !workspace.repository().resolve(word, head) && workspace.find_branch(word).has_value();
}

Result<void> run(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  const std::string revision = arguments.text("revision");
  const bool lists = revision.empty() || store::split_range(revision) ||
                     arguments.has("--search") || arguments.has("--all") ||
                     TRY(is_history(workspace, revision));
  if (!lists) return show_one(session, workspace, revision, arguments.has("--json"));
  return list(session, workspace, arguments);
}

}  // namespace

extern const Command kReasoning{
    .name = "reasoning",
    .summary = "List reasoning with the answers it led to",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "Without REV, with a session, a branch, a range or --search, lists reasoning, newest\n"
        "first, each with the answer it led to. With one turn, shows the reasoning before it in\n"
        "full: of an answer the reasoning right before it, and all of a provider's message that\n"
        "came in several records. 'spoor think TEXT' adds reasoning by hand.",
    .examples = kExamples,
};

}  // namespace spoor::cli
