// judge: record a person's verdict on a commit.
#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/agents/constraint_flags.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/trees/run_tree.h"
#include "cli/trees/tree_plan.h"
#include "guard/check/evaluations.h"
#include "guard/check/findings.h"
#include "trace/event_json.h"

namespace spoor::cli {

using api::JsonWriter;
using store::Oid;

namespace {

constexpr std::array kOptions = {
    Option{"revision", "COMMIT", "the commit to judge", 0, Takes::revision},
    Option{"--pass", "", "the commit is correct"},
    Option{"--warn", "", "the commit has a minor problem"},
    Option{"--fail", "", "the commit is wrong"},
    Option{"--note", "TEXT", "why", 'm'},
    Option{"--override", "", "replace all earlier judgements of the commit"},
    Option{"--tree", "TREE", "judge the attempts of a tree, by what follows"},
    kTest,
    kExpect,
    kJudgeModel,
    kRubric,
    kConstraint,
    kConstraints,
    Option{"--again", "", "with --tree: also attempts that were judged this way before"},
    kJson,
};

Result<trace::CheckStatus> status_of(Session& session, const Arguments& arguments) {
  std::optional<trace::CheckStatus> status;
  for (const char* flag : {"--pass", "--warn", "--fail"}) {
    if (!arguments.has(flag)) continue;
    if (status) return session.usage_error("choose one of --pass, --warn and --fail");
    status = trace::status_from(flag + 2);
  }
  if (!status) {
    return session.usage_error("one of --pass, --warn and --fail is required",
                               "try 'spoor judge HEAD --pass --note \"I looked\"'");
  }
  return *status;
}

// Judges the attempts of a tree by the expectation on the line, else by that of the tree.
Result<void> judge_attempts(Session& session, const Arguments& arguments) {
  TRY(session.require_writing());
  if (arguments.has("revision")) {
    return session.usage_error("'--tree' judges all attempts, and takes no commit",
                               "judge one with 'spoor judge BRANCH --pass'");
  }
  Workspace& workspace = *TRY(session.workspace());
  const auto tree = TRY(attempts::find_tree(workspace.repository(), arguments.text("--tree")));
  auto expects = TRY(read_expectation_flags(session, arguments));
  if (expects.empty()) expects = tree.plan.expects;
  if (expects.empty()) {
    return session.usage_error("nothing to judge the attempts by",
                               "add --test COMMAND, --expect TEXT, or --judge with --rubric");
  }
  const std::size_t judged = TRY(judge_tree(session, tree, expects, arguments.has("--again")));
  if (judged == 0) session.err().print("every ended attempt was judged this way before\n").flush();
  Arguments shown;
  shown.add("--tree", tree.id);
  return print_trees(session, std::move(shown), arguments.has("--json"));
}

Result<void> run(Session& session, const Arguments& arguments) {
  if (arguments.has("--tree")) return judge_attempts(session, arguments);
  if (!arguments.has("revision")) {
    return session.usage_error("'judge' needs a commit, or --tree");
  }
  const trace::CheckStatus status = TRY(status_of(session, arguments));
  Workspace& workspace = *TRY(session.workspace());
  const Oid commit = TRY(workspace.resolve(arguments.text("revision")));
  const bool overrides = arguments.has("--override");
  const auto judgement =
      guard::check::persons_judgement(commit, status, arguments.text("--note"), overrides);
  const auto notes = TRY(guard::check::record(workspace.repository(), {judgement}, "judge"));
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().member("commit", commit).member("status", trace::name_of(status));
    json.member("override", overrides).member("note", notes.front()).end();
    session.out().verbatim(json.take());
    return {};
  }
  session.out().print(fmt::format(
      "{}: {}{} (note {})\n", workspace.short_id(commit), trace::name_of(status),
      overrides ? ", replacing earlier judgements" : "", workspace.short_id(notes.front())));
  return {};
}

constexpr std::array kExamples = {
    Example{"spoor judge HEAD~2 --fail --note 'it deleted the wrong table'",
            "a judgement, next to those of checks"},
    Example{"spoor judge 3f2a91c4 --pass --override --note 'agreed with the team'",
            "replace earlier judgements, until the next one"},
    Example{"spoor judge --tree latest --test 'grep -q 42'",
            "judge each attempt of a tree by a command that reads its answer"},
};

}  // namespace

extern const Command kJudge{
    .name = "judge",
    .summary = "Record a verdict (pass, warn, fail) on a commit",
    .options = kOptions,
    .run = run,
    .group = Group::write,
    .details =
        "Adds a note about the commit to refs/notes/evaluation; notes are never changed.\n"
        "The commit's events include it, next to the results of checks; for each check, and\n"
        "for people, the newest judgement counts. The commit and its branch do not change.\n"
        "\n"
        "With --tree, judges the attempts that have ended and were not judged this way: by the\n"
        "exit status of a command, by a text, or by a model (docs/trees.md).",
    .examples = kExamples,
};

}  // namespace spoor::cli
