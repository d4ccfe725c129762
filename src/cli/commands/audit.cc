#include <array>
#include <map>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/debrief_source.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "guard/check/evaluations.h"
#include "report/event/failure_modes.h"
#include "report/event/projection.h"

namespace spoor::cli {
namespace {

using report::Auditor;
using report::Failing;
using report::FailureMode;
using report::Profile;
using trace::DecisionEvent;

constexpr std::array kOptions = {
    Option{"run", "RUN", "a run, 'latest', or any revision (default: latest)", 0, Takes::run},
    Option{"--profile", "P", "what is required (default: white-box for runs, else black-box)", 0,
           Takes::choice, Count::optional, "white-box|black-box"},
    Option{"--require", "WHAT", "treat a remark as an error; may be given again", 0, Takes::choice,
           Count::many, "evaluation|result"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor audit", "is the record of the newest run complete?"},
    Example{"spoor audit 3f2a91c4 --require evaluation", "also require a judgement of each action"},
};

void print_json(Session& session, const Auditor& auditor, Profile profile,
                const std::vector<Failing>& found) {
  JsonWriter json;
  json.object().member("profile", name_of(profile)).member("events", auditor.events());
  json.member("requests_verified", auditor.verified()).list("failures");
  for (const Failing& failing : found) {
    json.object().member("mode", name_of(failing.mode));
    json.member("level", failing.is_error ? "error" : "warning");
    json.member("commit", failing.commit).member("why", failing.why).end();
  }
  session.out().verbatim(json.end().end().take());
}

// Prints the failures one by one, and the remarks as a count per kind.
void print_text(Session& session, const Workspace& workspace, const Auditor& auditor,
                const std::vector<Failing>& found) {
  Output& out = session.out();
  std::map<FailureMode, std::uint64_t> remarks;
  std::uint64_t errors = 0;
  for (const Failing& failing : found) {
    if (!failing.is_error) {
      ++remarks[failing.mode];
      continue;
    }
    ++errors;
    print_id(out, workspace, failing.commit, workspace.short_id(failing.commit));
    out.print("  ").print(Style::error, name_of(failing.mode));
    out.print(": " + failing.why + "\n");
  }
  for (const auto& [mode, count] : remarks) {
    out.print(Style::warning, name_of(mode));
    out.print(fmt::format(": {}", counted(count, "remark")));
    if (mode == FailureMode::no_evaluation) out.print(" (--require evaluation makes them errors)");
    out.newline();
  }
  out.print(fmt::format("{}, {}, {} verified\n", counted(auditor.events(), "event"),
                        errors == 0 ? "nothing is missing" : counted(errors, "failure"),
                        counted(auditor.verified(), "request")));
}

Result<void> run(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  const graph::Repository& repository = workspace.repository();
  const auto subject = TRY(find_subject(workspace, arguments.text("run", "latest")));
  Auditor::Options options;
  options.profile = subject.run ? Profile::white_box : Profile::black_box;
  if (arguments.has("--profile")) {
    options.profile = report::profile_from(arguments.text("--profile")).value_or(options.profile);
  }
  for (const std::string& word : arguments.all("--require")) {
    options.required.insert(word == "result" ? FailureMode::no_result : FailureMode::no_evaluation);
  }
  const Profile profile = options.profile;
  Auditor auditor(repository, std::move(options));
  const auto judgements = TRY(guard::check::read_evaluations(repository));
  report::EventOptions how;
  how.judgements = &judgements;
  TRY(report::project(repository, subject.run, subject.head, how,
                      [&](DecisionEvent&& event) { return auditor.add(event); }));
  const std::vector<Failing> found = auditor.finish();
  if (arguments.has("--json")) {
    print_json(session, auditor, profile, found);
  } else {
    print_text(session, workspace, auditor, found);
  }
  for (const Failing& failing : found) {
    if (failing.is_error) session.exit_with(kExitFailed);
  }
  return {};
}

}  // namespace

extern const Command kAudit{
    .name = "audit",
    .summary = "Check that a run's record is complete",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .details =
        "Reads the events of a run and lists what is missing: a model call without its\n"
        "prompt, an action without the completion that asked for it, a capture mode that is\n"
        "not recorded, a request that its turns do not reproduce, a tool call without a\n"
        "result. The exit status is 1 if anything is missing. An action without a judgement\n"
        "is a remark, unless --require evaluation is given.\n"
        "\n"
        "For a history that no run wrote, the prompts are unknown and not required\n"
        "(--profile black-box).",
    .examples = kExamples,
};

}  // namespace spoor::cli
