#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "api/turns/history.h"
#include "api/turns/turn_json.h"
#include "cli/common_options.h"
#include "cli/export/conversation_export.h"
#include "cli/export/source_export.h"
#include "cli/export/trace_export.h"
#include "cli/git/export.h"
#include "cli/page/page_file.h"
#include "cli/prompt_source.h"
#include "cli/session.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/views/markdown.h"
#include "cli/views/times.h"
#include "llm/wire/anthropic.h"
#include "llm/wire/openai_chat.h"

namespace spoor::cli {

using api::harmless_json;
using api::Head;
using api::HistoryQuery;
using api::HistoryStep;
using api::JsonWriter;
using api::Marks;
using api::read_view;
using api::TurnView;

namespace {

constexpr std::array kOptions = {
    Option{"revision", "REV", "what to export (default: HEAD; all with --git)", 0, Takes::revision,
           Count::many},
    Option{"--jsonl", "", "the turns as JSON, one a line, oldest first"},
    Option{"--markdown", "", "the turns as a Markdown page"},
    Option{"--openai", "", "the prompt as the body of a chat completions request"},
    Option{"--anthropic", "", "the prompt as the body of a Messages request"},
    Option{"--git", "DIRECTORY", "branches and tags as a new, bare git repository", 0, Takes::path},
    Option{"--otlp", "FILE", "a run as traces and logs of OpenTelemetry (OTLP/JSON)", 0,
           Takes::path},
    Option{"--post", "URL", "send these to a collector, such as http://localhost:4318"},
    Option{"--prov", "FILE", "a run as W3C PROV-JSON", 0, Takes::path},
    Option{"--edition", "E", "with --otlp, --post: of the conventions gen_ai.* (default: 1.41)", 0,
           Takes::choice, Count::optional, "1.41|latest"},
    Option{"--content", "", "with --otlp, --post: include the texts of the conversation"},
    Option{"--sft", "", "sessions as lines of training data"},
    Option{"--dpo", "", "judged attempts of trees as lines of pairs, for preference training"},
    Option{"--to", "FORM", "with --sft, --dpo: the dialect (default: openai)", 0, Takes::choice,
           Count::optional, "openai|trl"},
    Option{"--sts", "", "a session for Hugging Face's trace viewer"},
    Option{"--atif", "FILE", "a session as a trajectory of Harbor (ATIF)", 0, Takes::path},
    Option{"--inspect", "FILE", "sessions, or attempts of --tree, as a log of Inspect", 0,
           Takes::path},
    Option{"--page", "", "a session as one HTML file with the views of 'spoor open'; needs -o"},
    Option{"--output", "FILE", "with --page: where to; - is standard output", 'o', Takes::path},
    Option{"--source", "DIRECTORY", "the files that sessions were imported from, byte for byte", 0,
           Takes::path},
    Option{"--tree", "TREE",
           "with --dpo, --inspect: of this tree; may be given again (default: all)", 0, Takes::text,
           Count::many},
    Option{"--redact", "", "with these forms: replace secrets by placeholders"},
    Option{"--licence", "TEXT", "with these forms: state this licence in the export"},
    Option{"--coverage", "LEVEL", "with these forms: only what records system prompt and tools", 0,
           Takes::choice, Count::optional, "present|partial"},
    Option{"--since", "TIME", "with --sft without REV: only sessions with turns since then", 0,
           Takes::time},
    Option{"--agent", "NAME", "the same: only sessions of this agent"},
    Option{"--project", "TEXT", "the same: only sessions whose folder contains this"},
    Option{"--model", "TEXT", "the same: only sessions with such a model"},
    Option{"--json", "", "with these forms: print what was left out as JSON, to standard error"},
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
    return not_found("nothing to export yet", "add a turn with 'spoor user TEXT'");
  }
  return request;
}

Result<void> export_to_git(Session& session, const Arguments& arguments) {
  for (const Option& option : {kAt, kWindow, kBudget, kIncludeReasoning, kStrict}) {
    if (!arguments.has(option.name)) continue;
    return session.usage_error(fmt::format("--git cannot be used with {}", option.name),
                               "--git exports the prompt at every commit, without options");
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
    out.print(fmt::format("  {} is named {} there: git does not allow the name\n", ours, theirs));
  }
  if (made.absent > 0) {
    out.print(fmt::format("  {} not in this store: replaced by a note\n",
                          counted(made.absent, "content")));
  }
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  constexpr std::array kForms = {"--jsonl", "--markdown", "--openai", "--anthropic",
                                 "--git",   "--source",   "--page"};
  constexpr std::array kTraces = {"--otlp", "--post", "--prov"};
  const auto given = [&](const char* form) { return arguments.has(form); };
  const auto forms = std::count_if(kForms.begin(), kForms.end(), given);
  const bool is_trace = std::any_of(kTraces.begin(), kTraces.end(), given);
  const auto conversations =
      std::count_if(kConversationForms.begin(), kConversationForms.end(), given);
  if (forms + conversations + (is_trace ? 1 : 0) != 1) {
    return session.usage_error(
        "'spoor export' needs one of --jsonl, --markdown, --openai, --anthropic, --git, --otlp, "
        "--prov, --sft, --dpo, --sts, --atif, --inspect, --page, --source",
        "see 'spoor help export'");
  }
  if (conversations == 1) return export_conversations(session, arguments);
  if (given("--page")) return page::export_page(session, arguments);
  if (given("--output")) return session.usage_error("'--output' is for --page");
  if (given("--source")) return export_source(session, arguments);
  for (const char* option : kConversationOptions) {
    if (!given(option)) continue;
    return session.usage_error(
        fmt::format("'{}' is for --sft, --dpo, --sts, --atif and --inspect", option));
  }
  const bool is_otlp = given("--otlp") || given("--post");
  if (!is_otlp && (given("--edition") || given("--content"))) {
    return session.usage_error("'--edition' and '--content' need --otlp or --post");
  }
  if (arguments.has("--git")) return export_to_git(session, arguments);
  if (arguments.all("revision").size() > 1) {
    return session.usage_error("only --git takes more than one revision",
                               "export them one after the other");
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
    Example{"spoor export --markdown > session.md", "a page to read or to share"},
    Example{"spoor export main --jsonl", "every turn, for other programs"},
    Example{"spoor export latest --otlp run.jsonl", "the newest run, for tools that read traces"},
    Example{"spoor export --sft --agent claude-code --redact > train.jsonl",
            "all sessions of Claude Code, for fine-tuning"},
    Example{"spoor export 57 --page --redact -o 57.html", "a session to send"},
    Example{"spoor export --git session.git",
            "all branches and tags, for git log, show, diff and blame"},
};

}  // namespace

extern const Command kExport{
    .name = "export",
    .summary = "Export a history: for readers, providers, training, viewers, evaluation or git",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "jsonl and markdown export the turns as they were made, with reasoning, and edits\n"
        "as separate turns; each line of jsonl is a document of 'spoor show --json'. In\n"
        "markdown every text is in a block whose fence is longer than any inside it. openai\n"
        "and anthropic export the prompt, as 'spoor compile --from-turns' does.\n"
        "\n"
        "git creates a new repository, with a commit for each commit and the same parents.\n"
        "Its tree contains the prompt at that commit, one file per turn, in prompt/, and in\n"
        "left-out/ what is not in the prompt: reasoning, skipped or summarised turns,\n"
        "notes, decisions. An edit changes a file, a skip moves one. A trailer of each\n"
        "message names the spoor commit. A REV that is not a branch or tag becomes a branch\n"
        "commit-ID. DIRECTORY must be new or empty. The same store gives the same git\n"
        "commits each time.\n"
        "\n"
        "otlp, post and prov export a run (default: the newest) or any revision as its\n"
        "events (docs/events.md): spans of the run, of each answer and of each call, or\n"
        "entities, activities and agents. The texts of the conversation are left out unless\n"
        "--content is given.\n"
        "\n"
        "sft writes a line for each REV; without REV, for each session that the filters\n"
        "choose, of its main branch. dpo writes a line for each attempt that passes and one\n"
        "next to it in the tree that fails. sts and atif write one session, inspect several,\n"
        "or the attempts of trees. All of them leave out thoughts unless --include-reasoning\n"
        "is given, and print to standard error what they left out, by reason. source writes\n"
        "the files that 'import --keep-source' kept (docs/exports.md).\n"
        "\n"
        "page writes one HTML file that shows a session as 'spoor open' does, without a\n"
        "server or a network, and as text where scripts are off. Thoughts are in it; the\n"
        "prompts have them with --include-reasoning. Redact what you send (docs/page.md).\n"
        "\n"
        "To export a whole store, with ids and branches, use 'spoor store archive'.",
    .examples = kExamples,
    .is_callable = false,  // What --json prints is not a result.
};

}  // namespace spoor::cli
