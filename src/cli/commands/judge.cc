// judge: record a person's verdict on a commit.
#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "guard/check/evaluations.h"
#include "guard/check/findings.h"
#include "trace/event_json.h"

namespace spoor::cli {

using api::JsonWriter;
using store::Oid;

namespace {

constexpr std::array kOptions = {
    Option{"revision", "COMMIT", "the commit to judge", 0, Takes::revision, Count::one},
    Option{"--pass", "", "the commit is correct"},
    Option{"--warn", "", "the commit has a minor problem"},
    Option{"--fail", "", "the commit is wrong"},
    Option{"--note", "TEXT", "why", 'm'},
    Option{"--override", "", "replace all earlier judgements of the commit"},
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

Result<void> run(Session& session, const Arguments& arguments) {
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
        "for people, the newest judgement counts. The commit and its branch do not change.",
    .examples = kExamples,
};

}  // namespace spoor::cli
