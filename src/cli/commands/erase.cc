#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "api/turns/turn_view.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/settings/keys.h"
#include "cli/terminal/untrusted.h"
#include "cli/views/times.h"
#include "guard/erase/erasure.h"
#include "sync/spool.h"

namespace spoor::cli {

using api::JsonWriter;
using api::read_view;
using api::TurnView;

namespace {

using guard::ErasurePlan;
using guard::Occurrence;
using Why = Occurrence::Why;

constexpr std::array kOptions = {
    Option{"commit", "COMMIT", "a commit whose texts are erased", 0, Takes::revision, Count::many},
    Option{"--text-file", "FILE", "a file with a phrase to erase everywhere; - is standard input",
           0, Takes::path},
    Option{"--reason", "TEXT", "why, in a few words; shown instead of the text"},
    Option{"--dry-run", "", "only list what would be erased"},
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

// Lists the parts of a commit to be erased, as "text, raw item".
std::string parts_that_go(const store::Commit& commit, const ErasurePlan& plan) {
  std::string parts;
  const auto add = [&](const Oid& oid, std::string_view name) {
    const bool goes = std::binary_search(plan.objects.begin(), plan.objects.end(), oid);
    if (!goes || parts.ends_with(name)) return;
    parts += fmt::format("{}{}", parts.empty() ? "" : ", ", name);
  };
  if (commit.content) add(commit.content->oid, "text");
  if (commit.fields) add(*commit.fields, "calls or other fields");
  for (const store::Content& item : commit.raw) add(item.oid, "raw item");
  if (commit.extra) add(*commit.extra, "labels");
  for (const store::Content& item : commit.attach) add(item.oid, "attachment");
  return parts;
}

// Prints the place of a phrase, without the text, since that contains the phrase.
Result<void> print_phrase_place(Session& session, const Workspace& workspace,
                                const ErasurePlan& plan, const Occurrence& place) {
  Output& out = session.out();
  out.print("  ").print(Style::commit, workspace.short_id(place.object));
  if (place.kind == store::Kind::commit) {
    const auto commit = TRY(workspace.reader().commit(place.object));
    const TurnView view = TRY(read_view(workspace.reader(), place.object));
    out.print(fmt::format(" {:<11} {}", view.kind(), parts_that_go(*commit, plan)));
  } else {
    const bool is_blob = place.kind == store::Kind::blob;
    out.print(fmt::format(" {}",
                          is_blob ? "a content that no commit shows" : store::name_of(place.kind)));
  }
  out.newline();
  return {};
}

Result<void> print_place(Session& session, const Workspace& workspace, const Occurrence& place) {
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

// Reports where erased values still occur in objects that were not searched.
void print_elsewhere(Session& session, const Workspace& workspace, const ErasurePlan& plan) {
  if (plan.told_elsewhere.empty()) return;
  constexpr std::size_t kMost = 8;
  std::string names;
  for (std::size_t i = 0; i < plan.told_elsewhere.size() && i < kMost; ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : ", ", workspace.short_id(plan.told_elsewhere[i]));
  }
  if (plan.told_elsewhere.size() > kMost) names += ", …";
  session.out().print(
      fmt::format("not erased: a short text, a number or a key of it is also in {} ({})\n",
                  counted(plan.told_elsewhere.size(), "other"), names));
  session.out().flush();
  session.err().print(Style::hint, "hint:");
  session.err().print(
      " check these; 'spoor store erase --text-file FILE' erases a phrase everywhere\n");
}

Result<std::string> phrase_of(Session& session, const std::string& path) {
  const std::string text =
      path == "-" ? TRY(text_to_keep(session, path)) : TRY(read_given_file(path));
  return std::string(trimmed(text));
}

void add_plan(const ErasurePlan& plan, JsonWriter& json) {
  json.list("places");
  for (const Occurrence& place : plan.places) {
    json.object().member("hash", place.object).member("kind", store::name_of(place.kind));
    json.member("why", name_of(place.why)).member("of", place.of).end();
  }
  json.end().list("contents");
  for (const Oid& oid : plan.objects) json.value(oid);
  json.end().member("bytes", plan.bytes).list("obstacles");
  for (const guard::Obstacle& obstacle : plan.obstacles) json.value(obstacle.where);
  json.end();
}

void print_obstacles(Session& session, const ErasurePlan& plan) {
  const bool is_phrase = !plan.phrase.empty();
  for (const guard::Obstacle& obstacle : plan.obstacles) {
    session.out().print(fmt::format("{}: {} contains the {} and cannot be changed\n",
                                    is_phrase ? "not erased" : "blocked", obstacle.where,
                                    is_phrase ? "phrase" : "text"));
  }
  if (!is_phrase || plan.obstacles.empty()) return;
  session.out().flush();
  session.err().print(Style::hint, "hint:");
  session.err().print(
      " names, meta, authors and the log are kept; start a new store without them\n");
}

// Finishes an earlier erasure that is incomplete, even if there is nothing new to erase.
Result<void> finish_earlier(Session& session, Workspace& workspace) {
  if (!TRY(guard::is_erasure_unfinished(workspace.repository()))) return {};
  TRY(guard::finish_erasure(workspace.repository()));
  session.err().print("finished an earlier erasure\n").flush();
  return {};
}

Error unfinished(const Error& why) {
  constexpr auto kUsual =
      "close other programs that use the store, then run 'spoor store gc --vacuum'";
  const bool is_told = why.hint.find("gc --vacuum") != std::string::npos;
  return {why.code, "erased text may still be readable: " + why.message,
          is_told ? why.hint : kUsual};
}

// Returns why the texts of these commits are erased already; empty if they have no erased text.
Result<std::string> why_gone(const Workspace& workspace, const std::vector<Oid>& named) {
  for (const Oid& oid : named) {
    const auto commit = TRY(workspace.reader().commit(oid));
    if (!commit->content) continue;
    const auto reason = TRY(workspace.reader().erased().reason_of(commit->content->oid));
    if (reason) return "already erased: " + *reason;
  }
  return std::string();
}

// Plans the erasure of the commits or the phrase on the command line.
Result<ErasurePlan> plan_of(Session& session, const Workspace& workspace,
                            const Arguments& arguments) {
  const bool is_phrase = arguments.has("--text-file");
  const std::vector<std::string>& names = arguments.all("commit");
  if (is_phrase == !names.empty()) {
    return session.usage_error(
        "name either commits or a phrase",
        "use 'spoor store erase COMMIT...' or 'spoor store erase --text-file FILE'");
  }
  if (is_phrase) {
    const std::string phrase = TRY(phrase_of(session, arguments.text("--text-file")));
    return guard::plan_phrase_erasure(workspace.repository(), phrase);
  }
  std::vector<Oid> commits;
  commits.reserve(names.size());
  for (const std::string& name : names) commits.push_back(TRY(workspace.resolve(name)));
  return guard::plan_erasure(workspace.repository(), commits);
}

Result<void> print_plan(Session& session, const Workspace& workspace, const ErasurePlan& plan) {
  Output& out = session.out();
  for (const Occurrence& place : plan.places) {
    TRY(plan.phrase.empty() ? print_place(session, workspace, place)
                            : print_phrase_place(session, workspace, plan, place));
  }
  out.print(
      fmt::format("{}, {}\n", counted(plan.objects.size(), "content"), byte_size(plan.bytes)));
  print_obstacles(session, plan);
  if (plan.texts.empty()) {
    out.flush();
    session.err()
        .print(Style::hint, "hint:")
        .print(" the text is too short to be searched inside others\n");
  }
  print_elsewhere(session, workspace, plan);
  return {};
}

// Requires the user's consent, by --yes or by an answer to the question.
Result<void> check_consent(Session& session, const Arguments& arguments) {
  if (arguments.has("--yes")) return {};
  if (arguments.has("--json") || !session.terminal().input_is_tty()) {
    return denied("cannot ask for confirmation; nothing was erased",
                  "list what would be erased with --dry-run, then add --yes");
  }
  if (!TRY(session.agrees("Erase this permanently?"))) return interrupted("nothing was erased");
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  Repository& repository = workspace.repository();
  const bool as_json = arguments.has("--json");
  const bool is_preview = arguments.has("--text-file") && !arguments.has("--yes");
  const bool is_dry = arguments.has("--dry-run") || is_preview;
  const std::string reason = arguments.text("--reason");
  if (reason.empty() && !is_dry) {
    return session.usage_error("an erasure needs a reason", "add --reason TEXT");
  }

  Output& out = session.out();
  const ErasurePlan plan = TRY(plan_of(session, workspace, arguments));
  Result<void> finished;
  if (plan.is_empty() && !is_dry) finished = finish_earlier(session, workspace);
  if (plan.is_empty() && !as_json) {
    const std::string gone = TRY(why_gone(workspace, plan.named));
    const std::string_view none = plan.phrase.empty()
                                      ? "nothing to erase: the commits have no text"
                                      : "nothing to erase: no content contains the phrase";
    out.print(gone.empty() ? std::string(none) : visible_line(gone)).newline();
    print_obstacles(session, plan);
    if (!plan.obstacles.empty()) session.exit_with(kExitFailed);
    return finished ? Result<void>() : unfinished(finished.error());
  }
  if (!as_json) TRY(print_plan(session, workspace, plan));
  std::optional<guard::Erased> erased;
  if (!is_dry && !plan.is_empty()) {
    TRY(check_consent(session, arguments));
    const std::string key =
        TRY(signing_key(workspace.store(), session.config(), session.environment()));
    erased = TRY(guard::erase(repository, plan, reason, key));
    sync::remove_spools(workspace.files());  // Unfinished transfers may have the text, too.
    finished = guard::finish_erasure(repository);
  }
  if (!plan.phrase.empty() && !plan.obstacles.empty()) session.exit_with(kExitFailed);
  if (as_json) {
    JsonWriter json;
    json.object();
    add_plan(plan, json);
    json.member("erased", erased.has_value());
    json.member("tombstone", erased ? std::optional(erased->tombstone) : std::nullopt);
    json.member("attest", erased ? erased->attest : std::nullopt);
    json.member("finished", erased && finished);
    if (!plan.told_elsewhere.empty()) {
      json.list("told_elsewhere");
      for (const Oid& oid : plan.told_elsewhere) json.value(oid);
      json.end();
    }
    out.verbatim(json.end().take());
  } else if (erased) {
    out.print("erased: ").print(Style::commit, erased->tombstone.hex(12)).newline();
  } else if (is_dry) {
    out.flush();
    session.err().print(Style::hint, "hint:").print(" nothing was erased");
    session.err().print(is_preview ? "; add --yes and --reason TEXT to erase it\n" : "\n");
  }
  return finished ? Result<void>() : unfinished(finished.error());
}

constexpr std::array kExamples = {
    Example{"spoor store erase 3f2a91c4 --dry-run", "list everything that shows it"},
    Example{"spoor store erase 3f2a91c4 --reason 'a customer asked'", "ask, then erase it"},
    Example{"spoor store erase --text-file phrase.txt",
            "list every place of a phrase, in any commit"},
};

}  // namespace

extern const Command kErase{
    .name = "store erase",
    .summary = "Erase a commit's text, or a phrase, for good",
    .options = kOptions,
    .run = run,
    .group = Group::care,
    .details =
        "The commits and all hashes stay. Their texts, arguments, provider items, labels\n"
        "and attachments are erased, and so are: every commit on any branch that shows the\n"
        "same, later edits, summaries made from them, notes and reasons about them,\n"
        "recorded requests, and every content that contains the text word for word: plain,\n"
        "escaped or as base64. All of it is listed first. A signed tombstone records what\n"
        "was erased, when and why; '[erased: REASON]' is shown instead. The file is\n"
        "rewritten, so that its free pages, log and index contain nothing of it. Other\n"
        "commits that contain a number, a key or a short text of it are listed and stay.\n"
        "In PostgreSQL, the server's log and backups keep it, unless the store was made with\n"
        "'spoor init --keys': then its keys are destroyed.\n"
        "\n"
        "--text-file reads a phrase instead, from a file or from standard input (-), so\n"
        "that it is in no shell history: every content that contains it is erased as a\n"
        "whole. Without --yes the places are only listed. Meta and authors of commits,\n"
        "tags, branch names and the operation log cannot be changed: if the phrase is in\n"
        "one of them, this is reported and the exit status is 1.\n"
        "\n"
        "An erasure cannot be undone. The same text is refused from then on, or left out of\n"
        "an import. Texts under 12 bytes are not searched inside others. Paraphrases are\n"
        "not found, and copies elsewhere are not erased: other stores, archives, backups,\n"
        "the file you imported from, the provider.",
    .examples = kExamples,
};

}  // namespace spoor::cli
