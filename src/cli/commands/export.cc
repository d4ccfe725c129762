#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/common_options.h"
#include "cli/git/export.h"
#include "cli/history.h"
#include "cli/markdown.h"
#include "cli/prompt_source.h"
#include "cli/session.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/times.h"
#include "cli/trace_export.h"
#include "cli/turn_json.h"
#include "llm/wire/anthropic.h"
#include "llm/wire/openai_chat.h"

namespace spoor::cli {

using api::harmless_json;
using api::Head;

namespace {

constexpr std::array kOptions = {
    Option{"revision", "REV", "what to export (default: HEAD; with --git everything)", 0,
           Takes::revision, Count::many},
    Option{"--jsonl", "", "the turns as JSON, one a line, oldest first"},
    Option{"--markdown", "", "the turns as a page to read"},
    Option{"--openai", "", "the prompt as the body of a chat completions request"},
    Option{"--anthropic", "", "the prompt as the body of a Messages request"},
    Option{"--git", "DIRECTORY", "branches and tags as a new, bare git repository", 0, Takes::path},
    Option{"--otlp", "FILE", "a run as traces and logs of OpenTelemetry (OTLP/JSON)", 0,
           Takes::path},
    Option{"--post", "URL", "send these to a collector, such as http://localhost:4318"},
    Option{"--prov", "FILE", "a run as W3C PROV-JSON", 0, Takes::path},
    Option{"--edition", "E", "with --otlp, --post: of the conventions gen_ai.* (default: 1.41)", 0,
           Takes::choice, Count::optional, "1.41|latest"},
    Option{"--content", "", "with --otlp, --post: with the texts of the conversation"},
    kAt,
    kWindow,
    kBudget,
    kIncludeReasoning,
    kStrict,
};

constexpr std::string_view kBranches = "refs/heads/";
constexpr std::string_view kTags = "refs/tags/";

struct Shown {
  Oid oid;
  Marks marks;
};

// Returns the turns of a history, oldest first.
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

// Adds the ref that `name` means, or a new one for a commit without a ref.
Result<void> add_ref(const Workspace& workspace, const std::string& name,
                     std::map<std::string, Oid>& refs) {
  const store::Store& store = workspace.repository().store();
  const Head head = TRY(workspace.head());
  std::vector<std::string> full = {store::branch_ref(name), store::tag_ref(name)};
  if (name == "HEAD" && !head.is_detached()) full = {store::branch_ref(head.branch)};
  if (name.starts_with(kBranches) || name.starts_with(kTags)) full = {name};
  for (const std::string& each : full) {
    if (const auto target = TRY(store.ref(each))) {
      refs.emplace(each, *target);
      return {};
    }
  }
  const Oid commit = TRY(workspace.resolve(name));
  refs.emplace(store::branch_ref("commit-" + commit.hex(12)), commit);
  return {};
}

Result<git::Request> git_request(const Workspace& workspace, const Arguments& arguments) {
  git::Request request{.path = arguments.text("--git")};
  std::map<std::string, Oid> refs;
  for (const std::string& name : arguments.all("revision")) TRY(add_ref(workspace, name, refs));
  const bool is_all = refs.empty();
  if (is_all) {
    for (const std::string_view prefix : {kBranches, kTags}) {
      for (const store::Ref& ref : TRY(workspace.repository().store().refs(prefix))) {
        refs.emplace(ref.name, ref.target);
      }
    }
  }
  for (const auto& [name, target] : refs) request.refs.push_back({name, target});

  // HEAD stays on its branch if that is exported, else it is on the first exported branch.
  const Head head = TRY(workspace.head());
  const auto first = refs.lower_bound(std::string(kBranches));
  if (head.is_detached() && is_all) {
    request.head_commit = head.commit;
  } else if (refs.contains(store::branch_ref(head.branch))) {
    request.head_ref = store::branch_ref(head.branch);
  } else if (first != refs.end() && first->first.starts_with(kBranches)) {
    request.head_ref = first->first;
  }
  if (request.refs.empty() && !request.head_commit) {
    return not_found("there is nothing to export yet", "write a first turn");
  }
  return request;
}

Result<void> export_to_git(Session& session, const Arguments& arguments) {
  for (const Option& option : {kAt, kWindow, kBudget, kIncludeReasoning, kStrict}) {
    if (!arguments.has(option.name)) continue;
    return session.usage_error(fmt::format("--git does not go with {}", option.name),
                               "it gives the prompt at every commit, without options");
  }
  const Workspace& workspace = *TRY(session.workspace());
  const git::Request request = TRY(git_request(workspace, arguments));
  const Cancellable cancellable;
  Progress progress(session.terminal(), "exporting");
  const git::Exported made = TRY(git::export_repository(
      workspace.reader(), request, [&](std::uint64_t done, std::uint64_t all) -> Result<void> {
        if (is_interrupted()) return interrupted("stopped", "nothing was written");
        progress.update(done, all, {});
        return {};
      }));
  progress.clear();
  Output& out = session.out();
  out.print(fmt::format("{}: {}, {}, {}\n", request.path, counted(request.refs.size(), "ref"),
                        counted(made.commits, "commit"), counted(made.objects, "object")));
  for (const auto& [ours, theirs] : made.new_names) {
    out.print(fmt::format("  {} is {} there: git takes no such name\n", ours, theirs));
  }
  if (made.absent > 0) {
    out.print(fmt::format("  {} not in this store: a line says so there\n",
                          counted(made.absent, "content")));
  }
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  constexpr std::array kForms = {"--jsonl", "--markdown", "--openai", "--anthropic", "--git"};
  constexpr std::array kTraces = {"--otlp", "--post", "--prov"};
  const auto given = [&](const char* form) { return arguments.has(form); };
  const auto forms = std::count_if(kForms.begin(), kForms.end(), given);
  const bool is_trace = std::any_of(kTraces.begin(), kTraces.end(), given);
  if (forms + (is_trace ? 1 : 0) != 1) {
    return session.usage_error(
        "export takes one of --jsonl, --markdown, --openai, --anthropic, --git, --otlp, --prov",
        "see 'spoor help export'");
  }
  const bool is_otlp = given("--otlp") || given("--post");
  if (!is_otlp && (given("--edition") || given("--content"))) {
    return session.usage_error("'--edition' and '--content' go with --otlp or --post");
  }
  if (arguments.has("--git")) return export_to_git(session, arguments);
  if (arguments.all("revision").size() > 1) {
    return session.usage_error("only --git takes more than one revision",
                               "export one after the other");
  }
  if (is_trace) return export_trace(session, arguments);
  const Workspace& workspace = *TRY(session.workspace());
  if (arguments.has("--jsonl") || arguments.has("--markdown")) {
    return export_turns(session, workspace, arguments, arguments.has("--markdown"));
  }
  const compile::Prompt prompt = TRY(compile_named(workspace, arguments));
  const auto pictures = TRY(llm::wire::Pictures::read(prompt, workspace.reader()));
  const std::string body =
      arguments.has("--openai")
          ? "{\"messages\":" + llm::wire::openai_chat_messages(prompt, pictures) + "}"
          : llm::wire::anthropic_body(prompt, pictures);
  Output& out = session.out();
  out.verbatim(out.is_raw() ? body : harmless_json(body)).newline();
  return {};
}

constexpr std::array kExamples = {
    Example{"spoor export --markdown > session.md", "a page to read or to mail"},
    Example{"spoor export main --jsonl", "every turn, for other programs"},
    Example{"spoor export latest --otlp run.jsonl", "the newest run, for tools that read traces"},
    Example{"spoor export --git session.git",
            "all branches and tags, for git log, show, diff and blame"},
};

}  // namespace

extern const Command kExport{
    .name = "export",
    .summary = "Export a history: JSON Lines, Markdown, a provider's request, a git repository",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "jsonl and markdown give the turns as they were made, reasoning too, edits as turns of\n"
        "their own; each line of jsonl is a document of 'spoor show --json'. On a page every text\n"
        "stands in a block whose fence is longer than any inside, so none can pose as the page.\n"
        "openai and anthropic give the prompt, as 'spoor compile' does, with its options.\n"
        "\n"
        "git makes a repository of its own, with a commit for each commit and the same parents. "
        "Its\n"
        "tree holds the prompt at that commit, one file a turn, in prompt/, and in left-out/ what\n"
        "the prompt does not say: reasoning, what was skipped or summarised, notes, decisions. An\n"
        "edit changes a file, a skip moves one. A trailer of each message names the spoor commit.\n"
        "A REV that is no branch or tag becomes a branch commit-ID. DIRECTORY must be new or "
        "empty.\n"
        "The same store gives the same git commits each time.\n"
        "\n"
        "otlp, post and prov give a run (default: the newest) or any revision as its events have "
        "it\n"
        "(docs/events.md): spans of the run, of each answer and of each call, or entities,\n"
        "activities and agents. Texts of the conversation stay out unless --content is given.\n"
        "\n"
        "A whole store, with ids and branches, is written by 'spoor store archive'.",
    .examples = kExamples,
};

}  // namespace spoor::cli
