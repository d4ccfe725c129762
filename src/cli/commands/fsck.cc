#include "store/fsck.h"

#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "base/files.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/views/import_report.h"
#include "cli/views/times.h"
#include "import/rules.h"
#include "proof/log_tree.h"

namespace spoor::cli {
namespace {

using proof::Checkpoint;

constexpr std::array kOptions = {
    Option{"--since", "NOTE", "a checkpoint of this store: is all of it still in the log?", 0,
           Takes::path},
    Option{"--verbose", "", "also count what is stored"},
    kJson,
};

void print_json(Session& session, const store::FsckReport& report,
                const std::vector<std::string>& older) {
  JsonWriter json;
  json.object().member("sound", report.is_sound()).key("objects").object();
  for (const store::Kind kind : store::kKinds) {
    json.member(name_of(kind), report.objects.at(static_cast<std::size_t>(kind)));
  }
  json.end().member("bytes", report.bytes).member("operations", report.operations);
  json.member("refs", report.refs).member("orphans", report.orphans);
  json.member("unreachable", report.unreachable);
  json.member("newest_operation", report.newest_operation).list("absent");
  for (const auto& absent : report.absent) {
    json.object().member("hash", absent.oid).member("reason", absent.reason).end();
  }
  json.end().list("remarks");
  for (const auto& remark : report.remarks) {
    json.object().member("subject", remark.subject).member("message", remark.message).end();
  }
  json.end().member("problem_count", report.problem_count).list("problems");
  for (const auto& problem : report.problems) {
    json.object().member("subject", problem.subject).member("rule", name_of(problem.rule));
    json.member("message", problem.message).end();
  }
  json.end().list("older_rules");
  for (const std::string& line : older) json.value(line);
  session.out().verbatim(json.end().end().take());
}

void print_report(Session& session, const store::FsckReport& report, bool verbose) {
  Output& out = session.out();
  for (const auto& problem : report.problems) {
    out.print(Style::error, problem.subject).print(": " + problem.message);
    out.print(Style::muted, fmt::format(" [{}]", name_of(problem.rule))).newline();
  }
  for (const auto& absent : report.absent) {
    out.print(absent.oid.hex() + ": absent: " + absent.reason + "\n");
  }
  for (const auto& remark : report.remarks) {
    out.print(remark.subject + ": " + remark.message + "\n");
  }
  if (verbose) {
    for (const store::Kind kind : store::kKinds) {
      const std::uint64_t count = report.objects.at(static_cast<std::size_t>(kind));
      if (count > 0) out.print(fmt::format("{:<12}{:>12}\n", name_of(kind), grouped(count)));
    }
    out.print(fmt::format("{:<12}{:>12}\n", "operations", grouped(report.operations)));
    out.print(fmt::format("{:<12}{:>12}\n", "refs", grouped(report.refs)));
    out.print(fmt::format("{:<12}{:>12}\n", "orphans", grouped(report.orphans)));
    out.print(fmt::format("{:<12}{:>12}\n", "unreachable", grouped(report.unreachable)));
  }
  std::string line = fmt::format("{}, {}, {}: ", counted(report.object_count(), "object"),
                                 byte_size(report.bytes), counted(report.operations, "operation"));
  out.print(line);
  if (report.is_sound()) {
    out.print(Style::added, "sound").newline();
  } else {
    out.print(Style::error, counted(report.problem_count, "problem")).newline();
  }
  if (report.newest_operation) {
    out.print("newest operation ").print(Style::commit, report.newest_operation->hex()).newline();
  }
}

// Compares a sound log with the newest checkpoint that the store has, and with the one in `since`.
Result<void> check_checkpoints(const store::Store& store, const std::string& since,
                               store::FsckReport& report) {
  std::vector<Checkpoint> checkpoints;
  const auto add = [&](std::string message) {
    report.problems.push_back({"log", store::Rule::checkpoint, std::move(message)});
    ++report.problem_count;
  };
  if (!since.empty()) {
    const proof::Note note = TRY(proof::parse_note(TRY(read_given_file(since))));
    checkpoints.push_back(TRY(proof::parse_checkpoint(note.text)));
  }
  const auto kept = proof::kept_checkpoint(store);
  const auto parsed = kept ? proof::parse_checkpoint(kept->text) : kept.error();
  if (parsed) checkpoints.push_back(*parsed);
  if (!parsed && parsed.error().code != Error::Code::not_found) {
    add("its kept checkpoint is malformed: " + parsed.error().message);
  }
  if (checkpoints.empty()) return {};
  const proof::LogTree log = TRY(proof::read_log_tree(store));
  for (const Checkpoint& each : checkpoints) {
    const bool is_other = parsed && each.origin != parsed->origin;
    const std::string problem = is_other ? "the note is not of this store's log, " + parsed->origin
                                         : proof::contradiction(log, each);
    if (!problem.empty()) add(fmt::format("{} ({})", problem, each.origin));
  }
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace_for_repair());
  const Cancellable cancellable;
  Progress progress(session.terminal(), "checking");
  store::FsckOptions options;
  options.progress = [&](std::uint64_t objects) {
    progress.update(0, 0, counted(objects, "object"));
  };
  options.is_cancelled = [] { return is_interrupted(); };
  store::FsckReport report = TRY(store::fsck(workspace.store(), options));
  if (report.is_sound()) {
    TRY(check_checkpoints(workspace.store(), arguments.text("--since"), report));
  }
  std::vector<std::string> older;  // May be unknown in a damaged store.
  if (report.is_sound()) older = TRY(import::lines_of_older_rules(workspace.repository()));
  progress.clear();
  if (!report.is_sound()) session.exit_with(kExitFailed);
  if (arguments.has("--json")) {
    print_json(session, report, older);
  } else {
    print_report(session, report, arguments.has("--verbose"));
    session.out().flush();
    print_older_rules(session.err(), older);
  }
  return {};
}

constexpr std::array kExamples = {
    Example{"spoor store fsck", "is every byte what it was?"},
    Example{"spoor store fsck --since monday.note", "and is the log still the one of Monday?"},
};

}  // namespace

extern const Command kFsck{
    .name = "store fsck",
    .summary = "Verify every object of the store against its hash",
    .options = kOptions,
    .run = run,
    .group = Group::care,
    .details =
        "Hashes and parses every object and operation, checks parents, depth, generation\n"
        "and skip, and compares the refs with the operation log. Changes nothing. Exits\n"
        "with status 1 if something is wrong. The hash of the newest operation covers all\n"
        "that any ref ever led to. Keep what 'spoor checkpoint' prints somewhere else: with\n"
        "--since NOTE, a log that was rolled back or rewritten since then is named.",
    .examples = kExamples,
};

}  // namespace spoor::cli
