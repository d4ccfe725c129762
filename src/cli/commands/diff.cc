#include <array>

#include <fmt/format.h>

#include "api/turns/turn_json.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/calls_text.h"
#include "cli/views/text_changes.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "compile/pictures.h"
#include "graph/unified_diff.h"
#include "store/ancestry.h"

namespace spoor::cli {

using api::JsonWriter;
using api::main_argument;
using api::token_delta;

namespace {

constexpr std::array kOptions = {
    Option{"from", "A", "the first prompt, or A..B, or A...B (default: the parent of B)", 0,
           Takes::revision},
    Option{"to", "B", "the second prompt (default: HEAD)", 0, Takes::revision},
    Option{"--reasoning", "", "also compare the reasoning"},
    Option{"--stat", "", "print one line per message"},
    Option{"--format", "FORMAT", "words or unified (default: words for a person, else unified)", 0,
           Takes::choice, Count::optional, "words|unified"},
    Option{"--exit-code", "", "exit with status 1 if there are differences"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor diff", "what the newest commit changed in the prompt"},
    Example{"spoor diff main~40 main", "what changed in the prompt in 40 commits"},
    Example{"spoor diff main..topic --stat", "how two branches differ, one line per message"},
    Example{"spoor diff A B | less", "a unified diff, for pipes and files"},
};

using compile::Message;
using graph::MessageChange;
using graph::PromptDiff;
using Kind = MessageChange::Kind;

// Returns the text of a message for comparison: its text, its pictures, then its calls.
std::string comparable(const Message* message) {
  if (message == nullptr) return {};
  std::string text = message->text();
  for (const store::Content& picture : message->pictures()) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += compile::picture_mark(picture) + '\n';
  }
  for (const compile::ToolCall& call : message->tool_calls()) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += fmt::format("-> {} {}\n{}\n", call.name, call.id, call.arguments);
  }
  return text;
}

const Message& either(const MessageChange& change) {
  return change.after != nullptr ? *change.after : *change.before;
}

std::string signed_tokens(std::int64_t delta, bool estimated) {
  const auto size = static_cast<std::uint64_t>(delta < 0 ? -delta : delta);
  return fmt::format("{}{}{} tok", estimated ? "≈" : "", delta < 0 ? "-" : "+", grouped(size));
}

std::string kind_word(const Message& message) {
  if (message.type() == store::Type::reasoning) return "[reasoning]";
  return std::string(message.role);
}

char letter_of(Kind kind) { return kind == Kind::added ? 'A' : kind == Kind::removed ? 'D' : 'M'; }

Style style_of(Kind kind) {
  return kind == Kind::added ? Style::added : kind == Kind::removed ? Style::removed : Style::hunk;
}

class DiffPrinter {
 public:
  DiffPrinter(Session& session, const Workspace& workspace, bool estimated)
      : out_(session.out()), workspace_(workspace), estimated_(estimated) {}

  void words(const MessageChange& change, std::size_t place) {
    const Message& message = either(change);
    const bool is_muted = message.type() == store::Type::reasoning;
    const char* what = change.kind == Kind::added     ? "added"
                       : change.kind == Kind::removed ? "removed"
                                                      : "changed";
    out_.print(Style::hunk, fmt::format("@@ {} ", place)).print(Style::strong, kind_word(message));
    out_.print(" ");
    print_id(out_, workspace_, listed_id(out_, workspace_, message.hash()));
    out_.print(" ").print(style_of(change.kind), what);
    out_.print(Style::muted, "  " + signed_tokens(token_delta(change), estimated_));
    out_.print(Style::hunk, " @@").newline();
    if (change.kind == Kind::changed) {
      print_word_diff(out_, comparable(change.before), comparable(change.after), "  ");
    } else {
      const bool is_added = change.kind == Kind::added;
      const Style style = is_muted ? Style::reasoning : is_added ? Style::added : Style::removed;
      print_text(out_, style, comparable(&message), is_added ? "+ " : "- ");
    }
    out_.newline();
  }

  // Each message is one file of the diff, so that any diff tool can read it.
  void unified(const MessageChange& change, std::size_t place) {
    const Message& message = either(change);
    const std::string name = fmt::format("{:04}-{}-{}", place, message.role, message.hash().hex(8));
    const std::string before = comparable(change.before);
    const std::string after = comparable(change.after);
    line(Style::strong, fmt::format("diff --spoor a/{} b/{}", name, name));
    line(Style::strong, change.before == nullptr ? "--- /dev/null" : "--- a/" + name);
    line(Style::strong, change.after == nullptr ? "+++ /dev/null" : "+++ b/" + name);
    for (const graph::UnifiedLine& part : graph::unified_diff(before, after)) {
      const Style style = part.kind == '+'   ? Style::added
                          : part.kind == '-' ? Style::removed
                          : part.kind == '@' ? Style::hunk
                                             : Style::plain;
      line(style, part.kind + part.text);
    }
  }

  void stat(const MessageChange& change) {
    const Message& message = either(change);
    const WordCounts words = count_words(comparable(change.before), comparable(change.after));
    const std::string head =
        fmt::format("{} {} ", letter_of(change.kind), padded(kind_word(message), 11));
    const ListedId id = listed_id(out_, workspace_, message.hash());
    const std::string sizes =
        fmt::format(" +{} -{} words, {}  ", grouped(words.added), grouped(words.removed),
                    signed_tokens(token_delta(change), estimated_));
    out_.print(style_of(change.kind), head);
    print_id(out_, workspace_, id);
    out_.print(sizes);
    std::string text = visible_line(message.text());
    for (const store::Content& picture : message.pictures()) {
      text += (text.empty() ? "" : " ") + visible_line(compile::picture_mark(picture));
    }
    for (const compile::ToolCall& call : message.tool_calls()) {
      text += fmt::format("{}→ {} {}", text.empty() ? "" : " ", visible_line(call.name),
                          visible_line(main_argument(call)));
    }
    const int used = display_width(head + sizes) + id.width();
    if (out_.is_tty()) text = truncated(text, std::max(out_.width() - used, 8));
    out_.print(Style::muted, text).newline();
  }

  void settings(const PromptDiff& diff) {
    for (const auto& [key, values] : diff.config) {
      const auto spoken = [](const std::string& value) {
        return value.empty() ? "(unset)" : value;
      };
      out_.print(Style::strong, "setting " + key).print(": ");
      out_.print(Style::removed, spoken(values.first)).print(" -> ");
      out_.print(Style::added, spoken(values.second)).newline();
    }
  }

  void total(const PromptDiff& diff) {
    std::string line = fmt::format("{} added, {} removed, {} changed, {} unchanged", diff.added,
                                   diff.removed, diff.changed, diff.unchanged);
    out_.print(line + "; " + signed_tokens(diff.token_delta, estimated_)).newline();
  }

 private:
  void line(Style style, const std::string& text) { out_.print(style, text).newline(); }

  Output& out_;
  const Workspace& workspace_;
  bool estimated_;
};

// Both sides, as the command line names them; nullopt is the empty prompt.
struct Sides {
  std::optional<Oid> before;
  std::optional<Oid> after;
};

Result<Sides> read_sides(const Workspace& workspace, const Arguments& arguments) {
  Sides sides;
  const std::string from = arguments.text("from");
  const std::string here = workspace.here();
  const auto range = store::split_range(from);
  if (range) {
    const auto side = [&](const std::string& name) { return name.empty() ? here : name; };
    if (range->is_symmetric) {
      sides.before = TRY(workspace.resolve(side(range->from) + "..." + side(range->to)));
    } else {
      sides.before = TRY(workspace.resolve_or_empty(side(range->from)));
    }
    sides.after = TRY(workspace.resolve_or_empty(side(range->to)));
    return sides;
  }
  sides.after = TRY(workspace.resolve_or_empty(arguments.text("to", here)));
  if (!from.empty()) {
    sides.before = TRY(workspace.resolve_or_empty(from));
  } else if (sides.after) {
    const auto commit = TRY(workspace.reader().commit(*sides.after));
    if (!commit->parents.empty()) sides.before = commit->parents.front();
  }
  return sides;
}

Result<void> run(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  const Sides sides = TRY(read_sides(workspace, arguments));
  compile::CompileOptions options;
  options.include_reasoning = arguments.has("--reasoning");
  const compile::Prompt before = TRY(workspace.repository().compile(sides.before, options));
  const compile::Prompt after = TRY(workspace.repository().compile(sides.after, options));
  const PromptDiff diff = TRY(graph::diff(before, after, workspace.reader()));
  if (arguments.has("--exit-code") && !diff.empty()) session.exit_with(kExitFailed);

  const bool estimated = before.tokens_estimated || after.tokens_estimated;
  if (arguments.has("--json")) {
    JsonWriter json;
    write_diff(json, sides.before, sides.after, diff, estimated);
    session.out().verbatim(json.take());
    return {};
  }
  const bool is_unified =
      arguments.text("--format", session.out().is_tty() ? "words" : "unified") == "unified";
  DiffPrinter printer(session, workspace, estimated);
  std::size_t place = 0;
  for (const MessageChange& change : diff.messages) {
    ++place;
    if (change.kind == Kind::unchanged) continue;
    if (arguments.has("--stat")) {
      printer.stat(change);
    } else {
      is_unified ? printer.unified(change, place) : printer.words(change, place);
    }
    if (session.out().is_closed()) return {};
  }
  if (arguments.has("--stat") || !is_unified) {
    printer.settings(diff);
    printer.total(diff);
  }
  return {};
}

}  // namespace

extern const Command kDiff{
    .name = "diff",
    .summary = "Compare the prompts of two commits, message by message",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "Compares the prompts that a model would be sent, not the histories: messages are\n"
        "matched by the commit they come from, or by the one it was copied from (rebase,\n"
        "amend, fork --system), and texts word by word. In a pipe each\n"
        "message is a file of a unified diff. Reasoning is not part of a prompt and not\n"
        "compared, unless --reasoning is given.",
    .examples = kExamples,
};

}  // namespace spoor::cli
