#include <array>
#include <chrono>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "agent/record/recording.h"
#include "base/json/writer.h"
#include "cli/common_options.h"
#include "cli/debrief_source.h"
#include "cli/models/stop_on_interrupt.h"
#include "cli/settings/prices.h"
#include "cli/views/event_lines.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "compile/facts_view.h"
#include "guard/check/evaluations.h"
#include "llm/sent_prompt.h"
#include "report/event/failure_modes.h"
#include "report/event/projection.h"
#include "store/sha256.h"
#include "trace/event_json.h"

namespace spoor::cli {
namespace {

using report::Projection;
using trace::DecisionEvent;
using trace::EventKind;

constexpr std::array kOptions = {
    Option{"run", "RUN", "a run, 'latest', or any revision (default: latest)", 0, Takes::run},
    Option{"--jsonl", "", "print one canonical JSON object per line (docs/events.md)"},
    kJson,
    Option{"--follow", "", "print each event as soon as it is recorded, until the run ends", 'f'},
    Option{"--verify", "", "recompute the hash of each prompt and the bytes that were sent"},
    Option{"--profile", "P", "exit with status 1 if an event lacks what P requires", 0,
           Takes::choice, Count::optional, "white-box|black-box"},
};

constexpr std::array kExamples = {
    Example{"spoor events", "what the newest run did, one line per action"},
    Example{"spoor events 3f2a91c4 --jsonl > events.jsonl", "for a program"},
    Example{"spoor events --follow --jsonl", "follow a run that is under way"},
    Example{"spoor events --verify", "check that the recorded prompts are those that were sent"},
};

Result<void> check(Session& session, const Arguments& arguments) {
  if (arguments.has("--json") && arguments.has("--jsonl")) {
    return session.usage_error("choose one of --json and --jsonl");
  }
  if (arguments.has("--follow") && (arguments.has("--json") || arguments.has("--verify"))) {
    return session.usage_error("'--follow' cannot be used with --json or --verify");
  }
  if (arguments.has("--verify") && arguments.has("--jsonl")) {
    return session.usage_error("'--verify' cannot be used with --jsonl", "use --json");
  }
  return {};
}

// A prompt hash that does not match, or a request that cannot be rebuilt.
struct Doubt {
  Oid commit;
  std::string verdict;
  std::string why;
};

// A value that a profile requires, and events do not have.
struct MissingValue {
  Oid first;
  std::uint64_t count = 0;
};

struct Verified {
  std::uint64_t prompts = 0;
  std::uint64_t hashes = 0;    // Bundles that match their hashes.
  std::uint64_t requests = 0;  // Requests rebuilt to the bytes that were sent.
  std::uint64_t hashed = 0;    // Requests recorded only as hashes.
  std::uint64_t erased = 0;    // Requests with an erased part.
  std::uint64_t altered = 0;   // Requests with a key removed.
  std::uint64_t unknown = 0;
  std::vector<Doubt> doubts;
};

Result<void> verify(const graph::Repository& repository, const DecisionEvent& event,
                    Verified& verified) {
  const bool is_of_model =
      event.kind == EventKind::completion || event.kind == EventKind::failed_call;
  if (!is_of_model) return {};
  const auto& provenance = event.prompt_provenance;
  const auto commit = TRY(repository.reader().commit(event.commit));
  if (!provenance.bundle || !commit->prompt) {
    ++verified.unknown;
    return {};
  }
  ++verified.prompts;
  // Verify the line that a reader gets, not the values it was made from.
  const std::string line = to_json(event);
  const auto document = TRY(json::parse(line));
  std::string bytes;
  json::append_canonical(bytes, document.root().find("prompt_provenance").find("prompt_bundle"));
  if (store::sha256(bytes).hex() == provenance.bundle_hash) {
    ++verified.hashes;
  } else {
    verified.doubts.push_back({event.commit, "differs", "the hash does not match the bundle"});
  }
  const auto sent = TRY(llm::sent_bundle(repository, *commit->prompt));
  using Withheld = llm::SentPrompt::Withheld;
  if (sent.verdict == llm::SentPrompt::Verdict::verified) {
    ++verified.requests;
  } else if (sent.withheld != Withheld::no) {  // No bytes to compare with.
    if (sent.withheld == Withheld::hashed) ++verified.hashed;
    if (sent.withheld == Withheld::erased) ++verified.erased;
    if (sent.withheld == Withheld::altered) ++verified.altered;
  } else {
    verified.doubts.push_back({event.commit, std::string(name_of(sent.verdict)), sent.why});
  }
  return {};
}

std::string words_of(const std::string& verdict) {
  return verdict == "cannot_rebuild" ? "cannot be rebuilt" : verdict;
}

// Returns `5 prompts: 5 of their hashes and 5 of their requests verified; 2 more are unknown`.
std::string sum_of(const Verified& verified) {
  if (verified.prompts == 0) {
    if (verified.unknown == 0) return "nothing to verify: no model was asked";
    return fmt::format("nothing to verify: {} without a recorded prompt",
                       counted(verified.unknown, "answer"));
  }
  std::string sum = fmt::format("{}: {} of their hashes and {} of their requests verified",
                                counted(verified.prompts, "prompt"), grouped(verified.hashes),
                                grouped(verified.requests));
  if (verified.hashed > 0) {
    sum += fmt::format("; {} with hashes instead of texts", counted(verified.hashed, "request"));
  }
  if (verified.erased > 0) {
    sum += fmt::format("; parts of {} were erased", counted(verified.erased, "request"));
  }
  if (verified.altered > 0) {
    sum += fmt::format("; a key was removed from {}", counted(verified.altered, "request"));
  }
  if (verified.unknown > 0) {
    sum += fmt::format("; {} without a recorded prompt", counted(verified.unknown, "more answer"));
  }
  return sum;
}

void report(Session& session, const Workspace& workspace, const Verified& verified, bool as_json) {
  Output& out = session.out();
  if (as_json) {
    JsonWriter json;
    json.object().member("prompts", verified.prompts).member("hashes_verified", verified.hashes);
    json.member("requests_verified", verified.requests).member("unknown", verified.unknown);
    json.member("hashed", verified.hashed).member("erased", verified.erased);
    json.member("altered", verified.altered);
    json.list("doubts");
    for (const Doubt& doubt : verified.doubts) {
      json.object().member("commit", doubt.commit).member("verdict", doubt.verdict);
      json.member("why", doubt.why).end();
    }
    out.verbatim(json.end().end().take());
  } else {
    for (const Doubt& doubt : verified.doubts) {
      print_id(out, workspace, doubt.commit, workspace.short_id(doubt.commit));
      out.print("  " + words_of(doubt.verdict) + ": " + doubt.why + "\n");
    }
    out.print(sum_of(verified)).newline();
  }
  if (!verified.doubts.empty()) session.exit_with(kExitFailed);
}

bool is_end(const graph::Repository& repository, const Oid& head) {
  const auto commit = repository.reader().commit(head);
  compile::FactsView facts;
  return commit && facts.read((*commit)->meta) && facts.says(fact::decision, "run-ended");
}

// Prints the recorded events, then new ones, until the run ends or the reader stops.
Result<void> follow(Session& session, const graph::Repository& repository,
                    const agent::RunName& run, const report::EventOptions& how,
                    const Projection::Sink& sink) {
  using namespace std::chrono_literals;
  const StopOnInterrupt interrupt;
  Projection projection(repository, run, how);
  Oid head = run.head;
  std::optional<Oid> critic = run.critic;
  while (true) {
    TRY(projection.advance(head, critic, sink));
    session.out().flush();
    if (is_end(repository, head)) return projection.finish(sink);
    while (true) {
      if (interrupt.token().stop_requested()) return interrupted("stopped");
      if (session.out().is_closed()) return {};
      const auto now = TRY(repository.store().ref(agent::record::head_ref(run.id)));
      critic = TRY(repository.store().ref(agent::record::critic_ref(run.id)));
      if (!now) return not_found("the run does not exist any more");
      if (*now != head) {
        head = *now;
        break;
      }
      std::this_thread::sleep_for(20ms);
    }
  }
}

Result<void> run(Session& session, const Arguments& arguments) {
  TRY(check(session, arguments));
  const Workspace& workspace = *TRY(session.workspace());
  const graph::Repository& repository = workspace.repository();
  const auto subject = TRY(find_subject(workspace, arguments.text("run", "latest")));
  const auto profile = report::profile_from(arguments.text("--profile"));
  const bool as_json = arguments.has("--json");
  const bool verifies = arguments.has("--verify");
  Output& out = session.out();
  Verified verified;
  bool is_first = true;
  std::map<std::string, MissingValue> missing_values;  // By the name of the missing value.
  const Projection::Sink sink = [&](DecisionEvent&& event) -> Result<void> {
    if (out.is_closed()) return interrupted("the output was closed");
    if (verifies) return verify(repository, event, verified);
    if (profile) {
      for (const std::string& member : missing_of(event, *profile)) {
        MissingValue& missing =
            missing_values.try_emplace(member, MissingValue{event.commit}).first->second;
        ++missing.count;
      }
    }
    if (as_json) {
      out.verbatim(is_first ? "{\"events\": [\n" : ",\n");
      const std::string line = to_json(event);
      out.is_tty() ? out.print(line) : out.verbatim(line);
    } else if (arguments.has("--jsonl")) {
      print_event_json(out, event);
    } else {
      print_event(session, workspace, event);
    }
    is_first = false;
    return {};
  };
  const auto judgements = TRY(guard::check::read_evaluations(repository));
  report::EventOptions how;
  how.judgements = &judgements;
  const llm::PriceList prices(TRY(read_prices(session.environment())));
  how.prices = &prices;
  Result<void> done;
  if (arguments.has("--follow")) {
    if (!subject.run) {
      return session.usage_error("only a run can be followed", "list runs with 'spoor runs'");
    }
    done = follow(session, repository, *subject.run, how, sink);
  } else {
    done = project(repository, subject.run, subject.head, how, sink);
  }
  if (!done && out.is_closed()) return {};
  if (!done) return done;
  if (verifies) {
    report(session, workspace, verified, as_json);
  } else if (as_json) {
    out.verbatim(is_first ? "{\"events\": []}\n" : "\n]}\n");
  }
  for (const auto& [member, missing] : missing_values) {
    session.err().print(fmt::format("{} is unknown: {}, first {}\n", member,
                                    counted(missing.count, "event"),
                                    workspace.short_id(missing.first)));
  }
  if (!missing_values.empty()) session.exit_with(kExitFailed);
  return {};
}

}  // namespace

extern const Command kEvents{
    .name = "events",
    .summary = "Export a run as events, one for each action",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "An event is one action: an answer of a model, a file edited, tests run, a command,\n"
        "a refused call, the end. It contains the prompt that led to it, the action and its\n"
        "result, under OpenTelemetry ids that are derived from the commits: the same run\n"
        "gives the same events, to the byte. Nothing is stored twice. docs/events.md\n"
        "explains each member; docs/schema/decision-event-0.2.json is the JSON Schema.\n"
        "\n"
        "A revision that no run wrote, such as an imported session, has events too; what\n"
        "its source does not record is 'unknown'. --profile lists what is missing:\n"
        "white-box requires prompt, model and usage, black-box does not.",
    .examples = kExamples,
};

}  // namespace spoor::cli
