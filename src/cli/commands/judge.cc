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
    Option{"revision", "COMMIT", "the commit that is judged", 0, Takes::revision, Count::one},
    Option{"--pass", "", "it is as it should be"},
    Option{"--warn", "", "it is not quite as it should be"},
    Option{"--fail", "", "it is not as it should be"},
    Option{"--note", "TEXT", "why", 'm'},
    Option{"--override", "", "take the place of all that was judged of it before"},
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
    return session.usage_error("say --pass, --warn or --fail",
                               "such as 'spoor judge HEAD --pass --note \"I looked\"'");
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
      overrides ? ", whatever was judged before" : "", workspace.short_id(notes.front())));
  return {};
}

constexpr std::array kExamples = {
    Example{"spoor judge HEAD~2 --fail --note 'it deleted the wrong table'",
            "a judgement, beside those of checks"},
    Example{"spoor judge 3f2a91c4 --pass --override --note 'agreed with the team'",
            "the last word, until somebody judges it again"},
};

}  // namespace

extern const Command kJudge{
    .name = "judge",
    .summary = "Record a verdict (pass, warn, fail) on a commit",
    .options = kOptions,
    .run = run,
    .group = Group::write,
    .details =
        "A note about the commit, on refs/notes/evaluation; none is ever changed. Events of the\n"
        "commit carry it from then on, beside what checks found; of each check, and of persons,\n"
        "the newest judgement counts. The commit and its branch stay as they are.",
    .examples = kExamples,
};

}  // namespace spoor::cli
