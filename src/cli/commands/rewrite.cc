// rebase, cherry-pick, abandon and amend: copy commits onto other parents.
#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "api/operations/commit_ranges.h"
#include "api/operations/operation_json.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/views/times.h"
#include "graph/rewrite.h"

namespace spoor::cli {

using api::JsonWriter;
using api::named_commits;

namespace {

using graph::Draft;
using graph::Rewritten;

constexpr std::array kRebaseOptions = {
    Option{"onto", "REV", "the new base of the branch", 0, Takes::revision, Count::one},
    kJson,
};
constexpr std::array kPickOptions = {
    Option{"revision", "REV", "the commits to copy, in this order; A..B oldest first", 0,
           Takes::revision, Count::some},
    kJson,
};
constexpr std::array kAbandonOptions = {
    Option{"revision", "REV", "the commits to remove; A..B: those in B but not in A", 0,
           Takes::revision, Count::some},
    kJson,
};
constexpr std::array kAmendOptions = {
    Option{"text", "TEXT", "the new text; - reads standard input", 0, Takes::prose},
    Option{"--at", "REV", "the commit to amend (default: HEAD)", 0, Takes::revision},
    kMessage,
    kAuthor,
    kJson,
};

void print_json(Session& session, const Made& made, const Rewritten& done) {
  JsonWriter json;
  json.object().member("branch", made.branch).member("before", made.before);
  json.member("hash", made.after);
  write_copies(json, done.copies);
  json.list("dropped");
  for (const Oid& each : done.dropped) json.value(each);
  session.out().verbatim(json.end().end().take());
}

Result<void> rewrite(
    Session& session, const Arguments& arguments, std::string_view command,
    const std::function<Result<Rewritten>(Workspace&, Draft&, const std::string&)>& body) {
  Workspace& workspace = *TRY(session.workspace());
  Rewritten done;
  const Made made = TRY(
      write_on_branch(workspace, command, [&](Draft& draft, const std::string& ref) -> Result<Oid> {
        done = TRY(body(workspace, draft, ref));
        return done.tip;
      }));
  if (arguments.has("--json")) {
    print_json(session, made, done);
    return {};
  }
  if (made.before == made.after) {
    session.out().print(fmt::format("{}: nothing to do\n", made.branch));
    return {};
  }
  std::string says;
  if (!done.copies.empty()) says += ", " + counted(done.copies.size(), "commit") + " copied";
  if (!done.dropped.empty()) says += ", " + counted(done.dropped.size(), "commit") + " left out";
  print_made(session, workspace, made, false, says);
  return {};
}

Result<std::vector<Oid>> resolve_all(const Workspace& workspace, const Arguments& arguments) {
  return named_commits(workspace.reader(), arguments.all("revision"),
                       [&](const std::string& revision) { return workspace.resolve(revision); });
}

Result<void> run_rebase(Session& session, const Arguments& arguments) {
  return rewrite(
      session, arguments, "rebase",
      [&](Workspace& workspace, Draft& draft, const std::string& ref) -> Result<Rewritten> {
        const Oid onto = TRY(workspace.resolve(arguments.text("onto")));
        return graph::rebase(draft, workspace.reader(), ref, onto);
      });
}

Result<void> run_cherry_pick(Session& session, const Arguments& arguments) {
  return rewrite(
      session, arguments, "cherry-pick",
      [&](Workspace& workspace, Draft& draft, const std::string& ref) -> Result<Rewritten> {
        const auto commits = TRY(resolve_all(workspace, arguments));
        return graph::cherry_pick(draft, workspace.reader(), ref, commits);
      });
}

Result<void> run_abandon(Session& session, const Arguments& arguments) {
  return rewrite(
      session, arguments, "abandon",
      [&](Workspace& workspace, Draft& draft, const std::string& ref) -> Result<Rewritten> {
        const auto commits = TRY(resolve_all(workspace, arguments));
        return graph::abandon(draft, workspace.reader(), workspace.repository().folder(), ref,
                              commits);
      });
}

Result<void> run_amend(Session& session, const Arguments& arguments) {
  graph::Amendment amendment;
  if (arguments.has("text")) {
    amendment.text = TRY(text_to_keep(session, arguments.text("text")));
  }
  if (arguments.has(kMessage.name)) amendment.message = arguments.text(kMessage.name);
  if (arguments.has(kAuthor.name)) amendment.author = arguments.text(kAuthor.name);
  return rewrite(
      session, arguments, "amend",
      [&](Workspace& workspace, Draft& draft, const std::string& ref) -> Result<Rewritten> {
        const Oid commit = TRY(workspace.resolve(arguments.text("--at", "HEAD")));
        return graph::amend(draft, workspace.reader(), ref, commit, amendment);
      });
}

constexpr std::array kRebaseExamples = {
    Example{"spoor rebase main", "move this branch's own commits onto main"},
};
constexpr std::array kPickExamples = {
    Example{"spoor cherry-pick topic", "the newest commit of another branch"},
    Example{"spoor cherry-pick main..topic", "all commits in topic but not in main"},
};
constexpr std::array kAbandonExamples = {
    Example{"spoor abandon 3f2a91c4", "remove this turn"},
    Example{"spoor abandon HEAD~5..HEAD~2", "remove these three"},
};
constexpr std::array kAmendExamples = {
    Example{"spoor amend 'What I meant to ask.'", "replace the newest turn"},
};

}  // namespace

extern const Command kRebase{
    .name = "rebase",
    .summary = "Move the commits of a branch onto another commit",
    .options = kRebaseOptions,
    .run = run_rebase,
    .group = Group::history,
    .details =
        "The copies keep their text, author, time and change id; edits, pins and summaries\n"
        "apply to the copies, and tags do not move.",
    .examples = kRebaseExamples,
};
extern const Command kCherryPick{
    .name = "cherry-pick",
    .summary = "Copy commits to the end of this branch",
    .options = kPickOptions,
    .run = run_cherry_pick,
    .group = Group::history,
    .details =
        "A..B copies the commits that are in B but not in A, in the order of the history. A\n"
        "merge cannot be copied. Either all commits are copied or none.",
    .examples = kPickExamples,
};
extern const Command kAbandon{
    .name = "abandon",
    .summary = "Remove commits from this branch and copy those after them",
    .options = kAbandonOptions,
    .run = run_abandon,
    .group = Group::history,
    .details =
        "A call is removed together with its results, and a commit together with its edits\n"
        "and annotations. To leave a turn out of the prompt and keep the history, use\n"
        "'spoor skip'.",
    .examples = kAbandonExamples,
};
extern const Command kAmend{
    .name = "amend",
    .summary = "Replace a commit and rebase its descendants",
    .options = kAmendOptions,
    .run = run_amend,
    .group = Group::history,
    .details =
        "The provider's raw items are dropped, because they no longer match the text. To\n"
        "change a text and keep the history, use 'spoor edit'.",
    .examples = kAmendExamples,
};

}  // namespace spoor::cli
