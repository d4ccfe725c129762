#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/prompt_source.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/blame_json.h"
#include "cli/views/line_views.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"

namespace spoor::cli {

using api::read_view;
using api::read_views;

namespace {

constexpr std::size_t kPage = 256;  // Messages whose turns are read at once.

constexpr std::array kOptions = {
    Option{"revision", "FILE|REV",
           "a file, FILE:LINE or FILE:LINE-LINE; or the commit to use (default: HEAD)", 0,
           Takes::revision},
    kAt,
    kWindow,
    kBudget,
    kIncludeReasoning,
    Option{"--recorded", "", "the file as the recorded edits of sessions left it; no file is read"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor blame src/cart.py", "which turn wrote each line of the file"},
    Example{"spoor blame src/cart.py:10-40", "and of lines 10 to 40"},
    Example{"spoor blame --recorded src/cart.py", "as sessions left it, wherever it is"},
    Example{"spoor blame", "where each message of the prompt at HEAD comes from"},
    Example{"spoor blame main~40 --include-reasoning", "40 commits ago, with the reasoning"},
};

class BlamePrinter {
 public:
  BlamePrinter(Session& session, const Workspace& workspace, std::size_t messages)
      : out_(session.out()),
        workspace_(workspace),
        now_(session.clock().now()),
        digits_(static_cast<int>(std::to_string(messages).size())) {}

  // Prints message number `place`; `views` are the turns of its parts.
  Result<void> print(std::size_t place, const compile::Message& message,
                     const std::vector<graph::Origin>& origins, std::span<const TurnView> views) {
    const std::string number = fmt::format("{:>{}}  ", place, digits_);
    const std::string blank(number.size(), ' ');
    for (std::size_t i = 0; i < origins.size(); ++i) {
      const graph::Origin& origin = origins[i];
      out_.print(Style::muted, i == 0 ? number : blank);
      const TurnView& view = views[i];
      const std::string kind = view.is_reasoning() ? "[reasoning]" : std::string(view.kind());
      const Style style = style_of(message.role, message.type());
      print_maker(view, kind, style, message.parts[i].text ? *message.parts[i].text : "");
      for (const Oid& edit : origin.edits) {
        const TurnView by = TRY(read_view(workspace_.reader(), edit));
        const bool is_shown = edit == origin.said_by;
        out_.print(blank);
        print_maker(by, "  edit", Style::edited, is_shown ? "(these words)" : "");
      }
      for (const graph::Annotation& annotation : origin.annotations) {
        const TurnView by = TRY(read_view(workspace_.reader(), annotation.commit));
        out_.print(blank);
        print_maker(by, "  " + std::string(name_of(annotation.priority)), Style::pinned,
                    annotation.reason);
      }
      if (!origin.sources.empty()) print_sources(blank, origin.sources);
    }
    return {};
  }

 private:
  // Prints "user        3f2a91c4  2 hours ago  ada  What it says".
  void print_maker(const TurnView& view, const std::string& kind, Style style,
                   std::string_view text) {
    const ListedId id = listed_id(out_, workspace_, view.oid);
    out_.print(style, padded(kind, 11)).print(" ");
    print_id(out_, workspace_, id);
    int used = digits_ + 2 + 12 + id.width();
    const auto column = [&](Style how, const std::string& word) {
      if (word.empty()) return;
      out_.print("  ").print(how, word);
      used += 2 + display_width(word);
    };
    if (view.commit->time) column(Style::plain, shown_time(out_, *view.commit->time, now_));
    column(Style::muted, visible_line(view.commit->author));
    std::string line = visible_line(compile::preview(text));
    if (line.empty() && view.fields.tool_calls) line = visible_line(view.summary());
    if (out_.is_tty()) line = truncated(line, std::max(out_.width() - used - 2, 8));
    column(Style::plain, line);
    out_.newline();
  }

  void print_sources(const std::string& blank, const std::vector<Oid>& sources) {
    std::string line = fmt::format("{}  replaces {}: ", blank, counted(sources.size(), "turn"));
    out_.print(Style::muted, line);
    print_id(out_, workspace_, listed_id(out_, workspace_, sources.front()));
    if (sources.size() > 1) {
      out_.print(Style::muted, sources.size() > 2 ? " to " : " and ");
      print_id(out_, workspace_, listed_id(out_, workspace_, sources.back()));
    }
    out_.newline();
  }

  Output& out_;
  const Workspace& workspace_;
  Timestamp now_;
  int digits_;
};

// Returns the turns of all parts of some messages, in order.
Result<std::vector<TurnView>> views_of(const store::Reader& reader,
                                       std::span<const compile::Message> messages) {
  std::vector<Oid> names;
  for (const compile::Message& message : messages) {
    for (const compile::Part& part : message.parts) names.push_back(part.commit);
  }
  const auto commits = TRY(reader.commits(names));
  std::vector<store::NamedCommit> named;
  named.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) named.push_back({names[i], commits[i]});
  return read_views(reader, named);
}

// Returns the file that the argument names; nullopt for a revision. A word with a slash in front or
// after a dot is always a file.
Result<std::optional<FileLines>> file_of(Session& session, const Arguments& arguments) {
  const std::string word = arguments.text("revision");
  auto file = TRY(find_file_lines(session, word));
  const bool is_path = word.starts_with('/') || word.starts_with("./") || word.starts_with("../");
  if (!file && is_path) return not_found(fmt::format("no file '{}'", word));
  if (!file || is_path) return file;
  if (TRY(session.workspace())->resolve(word)) {
    return ambiguous(fmt::format("'{}' is a file and a revision", word),
                     fmt::format("the file is './{}', a branch 'refs/heads/{}'", word, word));
  }
  return file;
}

Result<void> run_on_file(Session& session, const Arguments& arguments,
                         const std::optional<FileLines>& file) {
  const std::string word = arguments.text("revision");
  for (const Option& option : {kAt, kWindow, kBudget, kIncludeReasoning}) {
    if (!arguments.has(option.name)) continue;
    return session.usage_error(
        fmt::format("'{}' is for prompts, '{}' is a file", option.name, word));
  }
  const FileBlame blame =
      TRY(file ? blame_file(session, *file) : blame_recorded_file(session, word));
  if (!arguments.has("--json")) {
    print_blame(session, blame);
    return {};
  }
  JsonWriter json;
  write_file_blame(json, blame);
  session.out().verbatim(json.take());
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  if (arguments.has("--recorded")) {
    if (!arguments.has("revision")) return session.usage_error("'--recorded' needs a file");
    return run_on_file(session, arguments, std::nullopt);
  }
  if (const auto file = TRY(file_of(session, arguments))) {
    return run_on_file(session, arguments, file);
  }
  const Workspace& workspace = *TRY(session.workspace());
  const compile::Prompt prompt = TRY(compile_named(workspace, arguments));
  if (arguments.has("--json")) {
    JsonWriter json;
    TRY(write_blame(json, workspace, prompt));
    session.out().verbatim(json.take());
    return {};
  }
  if (!prompt.commit) {
    session.err().print("the prompt is empty\n");
    return {};
  }
  const auto state = TRY(workspace.repository().folder().at(*prompt.commit));
  BlamePrinter printer(session, workspace, prompt.messages.size());
  for (std::size_t i = 0; i < prompt.messages.size() && !session.out().is_closed(); i += kPage) {
    const auto page =
        std::span(prompt.messages).subspan(i, std::min(kPage, prompt.messages.size() - i));
    const std::vector<TurnView> views = TRY(views_of(workspace.reader(), page));
    std::size_t view = 0;
    for (std::size_t j = 0; j < page.size() && !session.out().is_closed(); ++j) {
      std::vector<graph::Origin> origins;
      for (const compile::Part& part : page[j].parts) {
        origins.push_back(
            TRY(graph::origin_of(workspace.reader(), *state, *prompt.commit, part.commit)));
      }
      TRY(printer.print(i + j + 1, page[j], origins,
                        std::span(views).subspan(view, origins.size())));
      view += origins.size();
    }
  }
  return {};
}

}  // namespace

extern const Command kBlame{
    .name = "blame",
    .summary = "Show which turn wrote each line of a file, or made each message of the prompt",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "For a file of the work tree, prints for each line the turn that wrote it, with its\n"
        "session, agent and date. 'other': no edit of a session in the store wrote it, but a\n"
        "person or a program. 'unknown': several may have. Lines are followed through edits,\n"
        "commits, renames, rebase, squash, amend, stash and cherry-pick (docs/blame.md).\n"
        "\n"
        "With --recorded the file is not read, and may be gone: it is the text that the edits\n"
        "of sessions left at a path, or at the end of one.\n"
        "\n"
        "Without a file, prints the prompt at a commit, one line per message: the turn it\n"
        "comes from, with time and author. Edits and annotations, and the turns that a\n"
        "summary replaces, are indented below it. The edit in force is marked. A message\n"
        "that was recorded in several parts has a line for each.",
    .examples = kExamples,
};

}  // namespace spoor::cli
