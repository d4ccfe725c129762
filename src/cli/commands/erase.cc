#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "audit/erase/erasure.h"
#include "cli/common_options.h"
#include "cli/json_writer.h"
#include "cli/keys.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "cli/times.h"
#include "cli/turn_view.h"

namespace spoor::cli {
namespace {

using audit::ErasurePlan;
using audit::Place;
using Why = Place::Why;

constexpr std::array kOptions = {
    Option{"commit", "COMMIT", "a commit whose texts are to go", 0, Takes::revision, Count::some},
    Option{"--reason", "TEXT", "why, in a few words; it stands where the text was"},
    Option{"--dry-run", "", "only list what would go"},
    Option{"--yes", "", "do not ask"},
    kJson,
};

std::string_view in_words(Why why) {
  switch (why) {
    case Why::named:
      return "named";
    case Why::same_text:
      return "shows the same";
    case Why::edit:
      return "a later version";
    case Why::summary:
      return "made from it";
    case Why::about:
      return "about it";
    case Why::request:
      return "a request with it";
    case Why::holds:
      return "has it in it";
  }
  return {};
}

Result<void> print_place(Session& session, const Workspace& workspace, const Place& place) {
  Output& out = session.out();
  out.print("  ").print(Style::commit, workspace.short_id(place.object));
  if (place.kind == store::Kind::commit) {
    const TurnView view = TRY(read_view(workspace.reader(), place.object));
    out.print(fmt::format(" {:<11} {:<18}  ", view.kind(), in_words(place.why)));
    out.print(visible_line(view.summary(60)));
  } else {
    const std::string_view kind =
        place.kind == store::Kind::blob ? "content" : store::name_of(place.kind);
    out.print(fmt::format(" {:<11} {}", kind, in_words(place.why)));
  }
  out.newline();
  return {};
}

void add_plan(const ErasurePlan& plan, JsonWriter& json) {
  json.list("places");
  for (const Place& place : plan.places) {
    json.object().member("hash", place.object).member("kind", store::name_of(place.kind));
    json.member("why", audit::name_of(place.why)).member("of", place.of).end();
  }
  json.end().list("contents");
  for (const Oid& oid : plan.objects) json.value(oid);
  json.end().member("bytes", plan.bytes).list("obstacles");
  for (const audit::Obstacle& obstacle : plan.obstacles) json.value(obstacle.where);
  json.end();
}

// Takes an answer from who types: one that begins with y is a yes.
Result<bool> agrees(Session& session) {
  session.out().flush();
  session.err().print("Erase this for good? [y/N] ").flush();
  std::string answer;
  char next = 0;
  while (answer.size() < 100 && TRY(session.read_input({&next, 1})) == 1 && next != '\n') {
    answer += next;
  }
  return !answer.empty() && (answer[0] == 'y' || answer[0] == 'Y');
}

// Where there is nothing to erase, what is left of an earlier erasure may be.
Result<void> finish_earlier(Session& session, Workspace& workspace) {
  if (!TRY(audit::is_erasure_unfinished(workspace.repository()))) return {};
  TRY(audit::finish_erasure(workspace.repository()));
  session.err().print("an earlier erasure is finished now\n").flush();
  return {};
}

Error unfinished(const Error& why) {
  return {why.code, "what was erased may still lie in the store's files: " + why.message,
          "end the other programs that use the store, then run 'spoor gc --vacuum'"};
}

// Why the texts of these commits are gone already; empty where there never was one.
Result<std::string> why_gone(const Workspace& workspace, const std::vector<Oid>& named) {
  for (const Oid& oid : named) {
    const auto commit = TRY(workspace.reader().commit(oid));
    if (!commit->content) continue;
    const auto reason = TRY(workspace.reader().erased().reason_of(commit->content->oid));
    if (reason) return "erased already: " + *reason;
  }
  return std::string();
}

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  Repository& repository = workspace.repository();
  const bool as_json = arguments.has("--json");
  const bool is_dry = arguments.has("--dry-run");
  const std::string reason = arguments.text("--reason");
  if (reason.empty() && !is_dry) {
    return session.usage_error("an erasure has a reason", "say why with --reason TEXT");
  }
  std::vector<Oid> commits;
  for (const std::string& name : arguments.all("commit")) {
    commits.push_back(TRY(workspace.resolve(name)));
  }

  Output& out = session.out();
  const ErasurePlan plan = TRY(audit::plan_erasure(repository, commits));
  Result<void> finished;
  if (plan.is_empty() && !is_dry) finished = finish_earlier(session, workspace);
  if (plan.is_empty() && !as_json) {
    const std::string gone = TRY(why_gone(workspace, plan.named));
    out.print(gone.empty() ? "nothing to erase: there is no text" : visible_line(gone)).newline();
    return finished ? Result<void>() : unfinished(finished.error());
  }
  if (!as_json) {
    for (const Place& place : plan.places) TRY(print_place(session, workspace, place));
    out.print(
        fmt::format("{}, {}\n", counted(plan.objects.size(), "content"), byte_size(plan.bytes)));
    for (const audit::Obstacle& obstacle : plan.obstacles) {
      out.print("in the way: " + obstacle.where + " has the text and cannot be changed\n");
    }
    if (plan.texts.empty()) {
      out.flush();
      session.err()
          .print(Style::hint, "hint:")
          .print(" the text is too short to be looked for inside others\n");
    }
  }
  std::optional<audit::Erased> erased;
  if (!is_dry && !plan.is_empty()) {
    if (!arguments.has("--yes")) {
      if (as_json || !session.terminal().input_is_tty()) {
        return store::denied("nobody is there to be asked, and nothing was erased",
                             "look at what goes with --dry-run, then say --yes");
      }
      if (!TRY(agrees(session))) return store::interrupted("nothing was erased");
    }
    const std::string key =
        TRY(signing_key(workspace.store(), session.config(), session.environment()));
    erased = TRY(audit::erase(repository, plan, reason, key));
    finished = audit::finish_erasure(repository);
  }
  if (as_json) {
    JsonWriter json;
    json.object();
    add_plan(plan, json);
    json.member("erased", erased.has_value());
    json.member("tombstone", erased ? std::optional(erased->tombstone) : std::nullopt);
    json.member("attest", erased ? erased->attest : std::nullopt);
    json.member("finished", erased && finished).end();
    out.verbatim(json.take());
  } else if (erased) {
    out.print("erased: ").print(Style::commit, erased->tombstone.hex(12)).newline();
  } else if (is_dry) {
    out.flush();
    session.err().print(Style::hint, "hint:").print(" nothing was erased\n");
  }
  return finished ? Result<void>() : unfinished(finished.error());
}

constexpr std::array kExamples = {
    Example{"spoor erase 3f2a91c4 --dry-run", "all that shows it"},
    Example{"spoor erase 3f2a91c4 --reason 'a customer asked'", "ask, then take it"},
};

}  // namespace

extern const Command kErase{
    .name = "erase",
    .summary = "Take what a commit says out of the store, for good",
    .options = kOptions,
    .run = run,
    .group = Group::care,
    .details =
        "The commits stay, and so do all hashes; their texts, arguments, provider's items, labels\n"
        "and attachments go, with every commit on any branch that shows the same, later edits,\n"
        "summaries made from them, notes and reasons about them, requests that were kept whole,\n"
        "and every content that has the text in it word for word: plain, escaped or as base64.\n"
        "All of it is listed first. A signed tombstone says what went, when and why, and\n"
        "'[erased: REASON]' is read instead. The file is written anew, so that nothing is left in\n"
        "its free pages, its log or its index.\n"
        "\n"
        "Nothing takes that back, undo neither; and the same text is refused from then on, or "
        "left\n"
        "out where it is imported again. Texts under 12 bytes are not looked for inside others.\n"
        "What was retold in other words is not found, and copies elsewhere are not reached: other\n"
        "stores, archives, backups, the file you imported from, the provider.",
    .examples = kExamples,
};

}  // namespace spoor::cli
