#include <array>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/prompt_source.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/views/blame_json.h"
#include "cli/views/call_matches.h"
#include "cli/views/line_views.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "graph/call_text.h"
#include "graph/replacing_summary.h"

namespace spoor::cli {

using api::Matcher;
using api::matches_of;
using api::read_view;

namespace {

constexpr std::size_t kLinesShown = 3;

constexpr std::array kOptions = {
    Option{"phrase", "FILE:LINE|PHRASE", "a line of a file, or the exact phrase to find", 0,
           Takes::text},
    Option{"revision", "REV", "the commit whose prompt to search (default: HEAD)", 0,
           Takes::revision},
    kAt,
    kWindow,
    kBudget,
    kIncludeReasoning,
    Option{"--file", "FILE", "the file, with --line", 0, Takes::path},
    Option{"--line", "N", "the line of that file", 0, Takes::positive},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor why src/cart.py:88", "which turn wrote this line, for which request, and why"},
    Example{"spoor why 'never delete'", "which turn put this into the prompt"},
    Example{"spoor why 10.74 main~20", "and into the prompt of 20 commits ago"},
};

class WhyPrinter {
 public:
  WhyPrinter(Session& session, const Workspace& workspace, const compile::Prompt& prompt,
             std::string phrase)
      : out_(session.out()),
        workspace_(workspace),
        prompt_(prompt),
        phrase_(std::move(phrase)),
        now_(session.clock().now()) {}

  Result<void> print(const graph::Occurrence& occurrence) {
    const TurnView view = TRY(read_view(workspace_.reader(), occurrence.brought_by));
    const compile::Message& message = prompt_.messages[occurrence.message];
    print_id(out_, workspace_, listed_id(out_, workspace_, view.oid));
    if (view.commit->time) out_.print("  " + shown_time(out_, *view.commit->time, now_));
    const std::string kind = view.is_reasoning() ? "[reasoning]" : std::string(view.kind());
    out_.print("  ").print(style_of(view), kind);
    if (!view.commit->author.empty()) {
      out_.print("  ").print(Style::muted, visible_line(view.commit->author));
    }
    out_.newline();
    print_words(message);

    if (occurrence.brought_by != occurrence.commit) {
      TRY(say("an edit of ", occurrence.commit, ""));
    } else if (view.commit->op != store::Op::append) {
      TRY(print_summary(view, occurrence));
    }
    for (const Oid& edit : occurrence.kept_by) TRY(say("kept by ", edit, ""));
    if (occurrence.shown_by) TRY(print_annotation(occurrence));
    out_.print(Style::muted, fmt::format("    message {} of {}\n", occurrence.message + 1,
                                         prompt_.messages.size()));
    return {};
  }

 private:
  void print_words(const compile::Message& message) {
    const std::string text = message.text();
    const auto matches = matches_of(text, phrase_);
    print_match_lines(out_, Style::plain, text, matches, "    ", kLinesShown);
    if (!matches.empty()) return;
    const Matcher matcher = [this](std::string_view in) { return matches_of(in, phrase_); };
    print_call_matches(out_, message.tool_calls(), matcher, "    ", kLinesShown);
  }

  // Prints "an edit of 3f2a91c4 user: the words of it".
  Result<void> say(std::string_view what, const Oid& oid, std::string_view more) {
    const TurnView view = TRY(read_view(workspace_.reader(), oid));
    out_.print(Style::edited, fmt::format("    {}", what));
    print_id(out_, workspace_, listed_id(out_, workspace_, oid));
    out_.print(fmt::format(" {}: {}{}", view.kind(), visible_line(view.summary(48)), more));
    out_.newline();
    return {};
  }

  Result<void> print_summary(const TurnView& view, const graph::Occurrence& occurrence) {
    const std::size_t count =
        TRY(graph::origin_of(workspace_.reader(),
                             *TRY(workspace_.repository().folder().at(*prompt_.commit)),
                             *prompt_.commit, view.oid))
            .sources.size();
    std::string line = fmt::format("    a summary of {}", counted(count, "turn"));
    line += occurrence.sources.empty() ? ", none of which contains it" : "; of these contain it:";
    out_.print(Style::edited, line).newline();
    for (const Oid& source : occurrence.sources) TRY(say("  ", source, ""));
    return {};
  }

  Result<void> print_annotation(const graph::Occurrence& occurrence) {
    const TurnView by = TRY(read_view(workspace_.reader(), *occurrence.shown_by));
    const std::string_view priority =
        by.commit->priority ? name_of(*by.commit->priority) : name_of(by.commit->op);
    out_.print(Style::pinned, fmt::format("    in the prompt since {} by ", priority));
    print_id(out_, workspace_, listed_id(out_, workspace_, by.oid));
    if (by.commit->op == store::Op::annotate && !by.text_or_empty().empty()) {
      out_.print(" (" + visible_line(by.text_or_empty(), 200) + ")");
    }
    out_.newline();
    return {};
  }

  Output& out_;
  const Workspace& workspace_;
  const compile::Prompt& prompt_;
  std::string phrase_;
  Timestamp now_;
};

// Returns a hint with the newest turn that contains the phrase and was replaced by a summary, and
// with that summary.
Result<std::optional<std::string>> said_before_a_summary(const Workspace& workspace, const Oid& tip,
                                                         const std::string& phrase) {
  const auto state = TRY(workspace.repository().folder().at(tip));
  const auto& entries = state->entries();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const auto summary = graph::replacing_summary(*state, entry->commit);
    if (!summary) continue;
    const auto text = workspace.reader().content(entry->content);
    if (!text && text.error().code == Error::Code::not_found) continue;  // Its bytes are absent.
    if (!text) return text.error();
    if (!graph::says(*text.value(), entry->calls(), phrase)) continue;
    return std::optional(fmt::format("{} contains it, but {} replaces it",
                                     workspace.short_id(entry->commit),
                                     workspace.short_id(*summary)));
  }
  return std::optional<std::string>();
}

// Returns the error for a phrase that is not in the prompt, with the turn that contains it if that
// was left out.
Result<void> not_said(const Workspace& workspace, const compile::Prompt& prompt,
                      const std::string& phrase) {
  const std::string message = fmt::format("the prompt does not contain '{}'", phrase);
  if (!prompt.commit) return not_found(message, "the prompt is empty");
  for (const compile::LeftOut& left : prompt.left_out) {
    const auto commit = TRY(workspace.reader().commit(left.commit));
    const auto text = TRY(compile::text_of(workspace.reader(), *commit));
    const compile::Fields fields = TRY(compile::fields_of(workspace.reader(), *commit));
    const auto* calls = fields.tool_calls ? &*fields.tool_calls : nullptr;
    if (!graph::says(*text, calls, phrase)) continue;
    return not_found(message, fmt::format("{} contains it, but is left out: {}",
                                          workspace.short_id(left.commit), name_of(left.why)));
  }
  if (auto hint = TRY(said_before_a_summary(workspace, *prompt.commit, phrase))) {
    return not_found(message, std::move(*hint));
  }
  return not_found(message, fmt::format("the match is exact; list all turns that contain "
                                        "it with 'spoor log --all --grep TEXT'"));
}

// Returns the line of a file that the arguments name; nullopt for a phrase. With a revision, a
// phrase is always a phrase.
Result<std::optional<FileLines>> line_of(Session& session, const Arguments& arguments) {
  const std::string phrase = arguments.text("phrase");
  if (arguments.has("--file") || arguments.has("--line")) {
    if (!arguments.has("--file") || !arguments.has("--line") || !phrase.empty()) {
      return session.usage_error("--file and --line go together, without a phrase");
    }
    const std::string file = arguments.text("--file");
    auto found =
        TRY(find_file_lines(session, fmt::format("{}:{}", file, arguments.text("--line"))));
    if (!found) return not_found(fmt::format("no file '{}'", file));
    return found;
  }
  if (arguments.has("revision")) return std::optional<FileLines>();
  auto found = find_file_lines(session, phrase);
  if (!found || !*found || !(*found)->first) return std::optional<FileLines>();
  return found;
}

Result<void> run_on_line(Session& session, const Arguments& arguments, const FileLines& wanted) {
  if (wanted.first != wanted.last) return session.usage_error("name one line: FILE:LINE");
  const FileBlame blame = TRY(blame_file(session, wanted));
  if (!arguments.has("--json")) return print_line_reason(session, blame, blame.lines.front());
  JsonWriter json;
  TRY(write_line_reason(json, session, blame, blame.lines.front()));
  session.out().verbatim(json.take());
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  if (const auto line = TRY(line_of(session, arguments))) {
    return run_on_line(session, arguments, *line);
  }
  const Workspace& workspace = *TRY(session.workspace());
  const std::string phrase = arguments.text("phrase");
  if (phrase.empty()) return session.usage_error("the phrase is empty");
  const compile::Prompt prompt = TRY(compile_named(workspace, arguments));
  const auto found = TRY(graph::why(workspace.repository(), prompt, phrase));
  if (arguments.has("--json")) {
    JsonWriter json;
    TRY(write_why(json, workspace, prompt, phrase, found));
    session.out().verbatim(json.take());
    if (found.empty()) session.exit_with(kExitFailed);
    return {};
  }
  if (found.empty()) return not_said(workspace, prompt, phrase);
  WhyPrinter printer(session, workspace, prompt, phrase);
  for (const graph::Occurrence& occurrence : found) {
    TRY(printer.print(occurrence));
    if (session.out().is_closed()) break;
  }
  return {};
}

}  // namespace

extern const Command kWhy{
    .name = "why",
    .summary = "Find the turn that wrote a line of a file, or brought a phrase into the prompt",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "For a line of a file, prints the turn that wrote it, the request that it served, the\n"
        "reasoning before it, the change, and the tests that ran next (docs/blame.md).\n"
        "\n"
        "For each message of the compiled prompt that contains the phrase, prints the\n"
        "commit that added it: the turn itself, an edit or a summary, and for a summary\n"
        "also the summarised turns that contain it. Edits that kept the phrase are listed,\n"
        "and so is the annotation that keeps the message in the prompt. Texts, tool names\n"
        "and arguments (the strings in them, and the whole as the provider wrote it) are\n"
        "compared byte for byte. Exits with status 1 if the prompt does not contain it.",
    .examples = kExamples,
};

}  // namespace spoor::cli
