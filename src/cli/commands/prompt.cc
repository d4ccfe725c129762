#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "cli/common_options.h"
#include "cli/models/treatments.h"
#include "cli/session.h"
#include "cli/views/times.h"
#include "llm/check_thinking.h"
#include "llm/sent_prompt.h"

namespace spoor::cli {

using api::harmless_json;
using store::Oid;

namespace {

using llm::SentPrompt;

constexpr std::array kOptions = {
    kRevision,
    Option{"--list", "", "the requests of the conversation that a proxy recorded"},
    kJson,
};

std::string digest_of(const store::Bundle& bundle) {
  return fmt::format("{} {}",
                     bundle.digest == store::Bundle::Digest::hmac ? "hmac-sha256" : "sha256",
                     bundle.sent.hex());
}

void print_json(Session& session, const Oid& commit, const SentPrompt& sent) {
  JsonWriter json;
  json.object().member("hash", commit).member("verdict", std::string(name_of(sent.verdict)));
  json.member_or_null("why", sent.why).member("bundle", sent.bundle_name);
  json.member("commit", sent.bundle.commit).member("renderer", sent.bundle.renderer);
  json.member_or_null("model", sent.bundle.model).member("digest", digest_of(sent.bundle));
  json.member("bytes", sent.bundle.bytes).member("stored", sent.was_stored);
  json.list("treatments");
  for (const auto& treatment : sent.treatments) write_treatment(json, treatment);
  json.end().member_or_null("body", sent.body);
  session.out().verbatim(json.end().take());
}

// Also lists those that no turn answers: a title, a classifier, one that failed.
Result<void> list_requests(Session& session, const Workspace& workspace, const Oid& tip,
                           bool is_json) {
  const auto requests = TRY(llm::captured_requests(workspace.repository(), tip));
  if (is_json) {
    JsonWriter json;
    json.object().list("requests");
    for (const llm::CapturedRequest& each : requests) {
      json.object().member("note", each.note);
      json.member_or_null("answer", each.answer ? each.answer->hex() : std::string());
      json.member_or_null("time", each.time ? each.time->text() : std::string());
      json.member_or_null("model", each.model).member("bytes", each.bytes).end();
    }
    session.out().verbatim(json.end().end().take());
    return {};
  }
  Output& out = session.out();
  for (const llm::CapturedRequest& each : requests) {
    out.print(Style::commit, workspace.short_id(each.note));
    out.print(fmt::format("  {}  {:>9} bytes  {}",
                          each.time ? plain_time(*each.time) : std::string(), grouped(each.bytes),
                          each.model));
    out.print(each.answer ? "  for " + workspace.short_id(*each.answer) + "\n" : "  beside\n");
  }
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  const Workspace& workspace = *TRY(session.workspace());
  const Oid commit = TRY(workspace.resolve(arguments.text("revision", workspace.here())));
  if (arguments.has("--list")) {
    return list_requests(session, workspace, commit, arguments.has("--json"));
  }
  SentPrompt sent = TRY(llm::sent_prompt(workspace.repository(), commit));
  if (arguments.has("--json")) {
    TRY(llm::check_thinking(workspace.repository(), sent.bundle.model, sent.body, sent.thinking,
                            sent.treatments));
    print_json(session, commit, sent);
  } else if (!sent.body.empty()) {
    Output& out = session.out();
    out.verbatim(out.is_raw() ? sent.body : harmless_json(sent.body));
    if (!out.is_raw() || out.is_tty()) out.newline();
    out.flush();
  }
  if (sent.verdict == SentPrompt::Verdict::verified) {
    if (arguments.has("--json")) return {};
    const std::string how =
        sent.was_stored ? "stored as it was sent" : "rebuilt by " + sent.bundle.renderer;
    session.err()
        .print(Style::added, "verified")
        .print(fmt::format(": {}, {} bytes, {}\n", how, grouped(sent.bundle.bytes),
                           digest_of(sent.bundle)));
    return {};
  }
  if (sent.verdict == SentPrompt::Verdict::copied) {
    if (arguments.has("--json")) return {};
    session.err()
        .print(Style::muted, fmt::format("the agent's own copy, {} bytes: what was sent may differ",
                                         grouped(sent.bundle.bytes)))
        .newline();
    return {};
  }
  if (sent.verdict == SentPrompt::Verdict::differs) {
    return corrupt(fmt::format("differs: {} ({})", sent.why, digest_of(sent.bundle)),
                   "run 'spoor store fsck'");
  }
  return unavailable("cannot rebuild: " + sent.why);
}

constexpr std::array kExamples = {
    Example{"spoor prompt", "what the model was sent for the answer at HEAD"},
    Example{"spoor prompt --list", "the requests of this session that were recorded"},
    Example{"spoor prompt 3f2a91c4 --raw | sha256sum", "compute the digest with another program"},
};

}  // namespace

extern const Command kPrompt{
    .name = "prompt",
    .summary = "Rebuild the exact request that led to an answer",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "Rebuilds the request from the history, byte for byte, and compares it with the\n"
        "digest that was recorded when it was sent. Prints 'verified', or an error that\n"
        "names the difference or what is missing. --raw prints the exact bytes. Later\n"
        "changes to the branch (an edit, a summary, a rebase) do not affect it.\n"
        "\n"
        "--list names all that 'spoor with' recorded of a session, also those beside the\n"
        "conversation: for a title, or one that failed. 'spoor prompt NAME' rebuilds each.",
    .examples = kExamples,
};

}  // namespace spoor::cli
