#include <array>
#include <limits>

#include "cli/common_options.h"
#include "cli/debrief_source.h"
#include "report/debrief/compare.h"
#include "report/debrief/views.h"

namespace spoor::cli {
namespace {

using report::debrief::Debrief;

constexpr std::array kOptions = {
    Option{"run", "RUN", "a run, 'latest', or any revision (default: latest)", 0, Takes::run},
    Option{"other", "OTHER", "compare the first with this one, step by step", 0, Takes::run},
    Option{"--trace", "FILE", "read a JSONL trace of Reactive Agents instead ('-': standard input)",
           0, Takes::path},
    Option{"--format", "FORM", "tree or classic", 0, Takes::choice, Count::optional,
           "tree|classic"},
    Option{"--markdown", "", "a Markdown document"},
    Option{"--html", "", "one HTML file, without scripts"},
    Option{"--all", "", "every entry of every list, not their beginnings and ends"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor debrief", "the newest run: what it did, why, and the outcomes"},
    Example{"spoor debrief 3f2a91c4 latest", "where two runs differ"},
    Example{"spoor debrief --html > run.html", "a page to share"},
    Example{"spoor debrief --trace trace.jsonl --format classic", "the trace of another agent"},
};

constexpr std::size_t kKept = 1'000;  // Entries of a list in a document.
constexpr std::size_t kShown = 40;    // At a terminal.

Result<void> check(Session& session, const Arguments& arguments) {
  int forms = 0;
  for (const char* form : {"--json", "--markdown", "--html", "--format"}) {
    forms += arguments.has(form) ? 1 : 0;
  }
  if (forms > 1) return session.usage_error("choose one of --json, --markdown, --html, --format");
  if (arguments.has("--trace") && arguments.has("run")) {
    return session.usage_error("'--trace' does not take a run");
  }
  const bool is_text = !arguments.has("--markdown") && !arguments.has("--html") &&
                       arguments.text("--format", "tree") == "tree";
  if (arguments.has("other") && !is_text) {
    return session.usage_error("compare two runs as a tree or with --json");
  }
  return {};
}

report::debrief::TreeOptions tree_options(const Workspace* workspace, bool all) {
  report::debrief::TreeOptions options;
  options.most = all ? std::numeric_limits<std::size_t>::max() : kShown;
  if (workspace != nullptr) {
    options.short_id = [workspace](const Oid& commit) { return workspace->short_id(commit); };
  }
  return options;
}

void print(Session& session, const Arguments& arguments, const Workspace* workspace,
           const Debrief& debrief) {
  Output& out = session.out();
  if (arguments.has("--json")) {
    JsonWriter json;
    write_value(json, to_json(debrief));
    out.verbatim(json.take());
  } else if (arguments.has("--markdown")) {
    out.print(to_markdown(debrief));
  } else if (arguments.has("--html")) {
    out.print(to_html(debrief));
  } else if (arguments.text("--format") == "classic") {
    out.print(classic_text(debrief)).newline();
  } else {
    out.print(tree_text(debrief, tree_options(workspace, arguments.has("--all"))));
  }
}

Result<void> compare(Session& session, const Arguments& arguments, Workspace& workspace,
                     std::size_t most) {
  const auto first = TRY(find_subject(workspace, arguments.text("run")));
  const auto second = TRY(find_subject(workspace, arguments.text("other")));
  const Debrief before = TRY(read_debrief(session, workspace, first, most));
  const Debrief after = TRY(read_debrief(session, workspace, second, most));
  const report::debrief::Comparison comparison = report::debrief::compare(before, after);
  if (arguments.has("--json")) {
    JsonWriter json;
    write_value(json, to_json(comparison));
    session.out().verbatim(json.take());
  } else {
    session.out().print(to_text(comparison, tree_options(&workspace, false).short_id));
  }
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  TRY(check(session, arguments));
  const std::size_t most = arguments.has("--all") ? std::numeric_limits<std::size_t>::max() : kKept;
  if (arguments.has("--trace")) {
    print(session, arguments, nullptr, TRY(read_trace(session, arguments.text("--trace"), most)));
    return {};
  }
  Workspace& workspace = *TRY(session.workspace());
  if (arguments.has("other")) return compare(session, arguments, workspace, most);
  const auto subject = TRY(find_subject(workspace, arguments.text("run", "latest")));
  print(session, arguments, &workspace, TRY(read_debrief(session, workspace, subject, most)));
  return {};
}

}  // namespace

extern const Command kDebrief{
    .name = "debrief",
    .summary = "Explain what a run did and why, with the outcomes",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "Reads a run from its commits: the goal, the calls with their reasons and results,\n"
        "assumptions, what was left out of the context, alternatives, how it ended, what it\n"
        "cost. Counts the calls with a reason and lists the reasons that cite unknown refs\n"
        "and the claims that the record contradicts. A call without a recorded reason has\n"
        "none: reasons are never made up.\n"
        "\n"
        "For a revision that no run wrote, such as an imported session, shows its calls,\n"
        "their results and how it ends. With two runs, their steps are aligned: '=' is in\n"
        "both, '<' and '>' in one of them, '≠' in both with another reason or outcome.",
    .examples = kExamples,
};

}  // namespace spoor::cli
