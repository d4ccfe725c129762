// check: compare an agent's actions with constraints.
#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "agent/record/recording.h"
#include "api/json_writer.h"
#include "api/printed_ids.h"
#include "cli/agents/agent_setup.h"
#include "cli/agents/constraint_flags.h"
#include "cli/common_options.h"
#include "cli/debrief_source.h"
#include "cli/models/model_settings.h"
#include "cli/models/open_model.h"
#include "cli/terminal/untrusted.h"
#include "cli/views/times.h"
#include "cli/views/turn_text.h"
#include "guard/check/action_effects.h"
#include "guard/check/evaluations.h"
#include "guard/check/reply.h"
#include "guard/check/run_constraints.h"
#include "report/event/projection.h"
#include "store/sha256.h"
#include "trace/event_json.h"

namespace spoor::cli {
namespace {

namespace check = guard::check;
using trace::CheckResult;
using trace::CheckStatus;
using trace::DecisionEvent;

constexpr std::array kOptions = {
    Option{"run", "RUN", "a run, 'latest', or any revision (default: latest)", 0, Takes::run},
    kConstraints,
    kConstraint,
    Option{"--root", "DIR", "the folder it worked in (default: the recorded one)", 0, Takes::path},
    Option{"--trust", "",
           "run programs and ask models that the run's own constraints name; not "
           "in a store that is not trusted"},
    Option{"--all", "", "also show what passed"},
    Option{"--record", "", "record the results as notes (refs/notes/evaluation)"},
    kJson,
};

// One action with the results of its checks.
struct Judged {
  Oid commit;
  std::string event_id;
  trace::AgentAction::Type type;
  std::string summary;
  std::vector<CheckResult> results;
};

// The results of all checks.
struct Outcome {
  std::vector<trace::Constraint> constraints;
  std::vector<Judged> judged;
  std::array<std::size_t, 4> counts{};               // Actions, by CheckStatus.
  std::size_t not_made = 0;                          // Results.
  std::size_t unread_calls = 0;                      // Calls whose full effect no check can read.
  std::map<std::string, std::size_t> unknown_tools;  // With the number of their calls.
  std::vector<Oid> notes;

  std::size_t count(CheckStatus status) const {
    return counts.at(static_cast<std::size_t>(status));
  }
  // Unknown results also count as failures: a CI job must not pass if a check could not decide, or
  // if there was nothing to check.
  bool fails() const {
    return count(CheckStatus::fail) > 0 || count(CheckStatus::unknown) > 0 || not_made > 0 ||
           judged.empty();
  }
};

// The rules of the command line and those of the run, and the root they apply to.
struct Held {
  check::Rules own;   // From the command line, so the user wants them.
  check::Rules kept;  // From the run, which another person may have written.
  std::string root;
};

// Returns the working directory in the first turn that has this fact, as sessions of other agents
// do.
Result<std::string> folder_of(const Workspace& workspace, const Oid& head) {
  std::string folder;
  Result<void> problem;
  TRY(workspace.reader().run(head, std::numeric_limits<std::size_t>::max(),
                             [&](const store::NamedCommit& commit) {
                               const auto facts = compile::read_facts(commit.commit->meta);
                               if (!facts) problem = facts.error();
                               if (facts && !facts->get(fact::cwd).empty())
                                 folder = facts->get(fact::cwd);
                               return facts.has_value();
                             }));
  TRY(problem);
  return folder;
}

Result<Held> held_to(Session& session, const Workspace& workspace, const DebriefSubject& subject,
                     const Arguments& arguments) {
  Held held;
  const auto typed = TRY(read_constraint_flags(arguments));
  held.own = TRY(typed.rules());
  for (check::Rule& rule : held.own.rules) {
    // Ids come from the text: the first rules of two command lines differ, as do those of a request
    // and a command line.
    const bool is_typed = rule.constraint.id.starts_with("request-");
    if (is_typed) rule.constraint.id = "line-" + store::sha256(rule.constraint.rule).hex(6);
  }
  if (subject.run) {
    const auto header = TRY(agent::record::read_header(workspace.repository(), subject.run->id));
    const auto settings = read_tool_settings(header.options);
    if (settings) {
      held.root = root_from_kept(settings->root, workspace.path(), session.environment());
      check::Rules kept = TRY(settings->constraints.rules());
      for (check::Rule& rule : kept.rules) {
        const bool is_replaced = std::any_of(
            held.own.rules.begin(), held.own.rules.end(),
            [&](const check::Rule& own) { return own.constraint.id == rule.constraint.id; });
        if (!is_replaced) held.kept.rules.push_back(std::move(rule));
      }
    }
  } else {
    held.root = TRY(folder_of(workspace, subject.head));
  }
  if (const std::string given = arguments.text("--root"); !given.empty()) {
    held.root = given.front() == '/' ? given : session.environment().directory() + '/' + given;
  }
  return held;
}

// Rules in words are only for people.
bool has_checks(const check::Rules& rules) {
  return !std::all_of(rules.rules.begin(), rules.rules.end(), check::is_words);
}

// Judges with models as `--model` would; opens each once.
class Models {
 public:
  explicit Models(Session& session) : session_(session) {}

  Result<llm::Candidate> open(const std::string& name) {
    TRY(session_.require_trust());
    const std::string full = TRY(model_name(session_, name));
    auto found = open_.find(full);
    if (found == open_.end()) {
      found = open_.emplace(full, TRY(OpenModel::open(session_, full))).first;
    }
    return found->second->candidate();
  }

 private:
  Session& session_;
  std::map<std::string, std::unique_ptr<OpenModel>> open_;
};

Result<Outcome> judge(Session& session, Workspace& workspace, const DebriefSubject& subject,
                      const Held& held, bool is_trusted) {
  Models models(session);
  const llm::GenerateOptions options;
  const auto judges = check::make_judges(
      workspace.repository(), [&](const std::string& name) { return models.open(name); }, options);
  const auto programs = check::make_programs(held.root.empty() ? "/" : held.root,
                                             command_variables(session.environment()));
  const check::CheckPorts all{
      .root = held.root, .programs = programs.get(), .judges = judges.get()};
  const check::CheckPorts none{.root = held.root, .programs = nullptr, .judges = nullptr};
  std::vector<check::Checks> checks;
  checks.push_back(TRY(check::Checks::make(held.own, all)));
  checks.push_back(TRY(check::Checks::make(held.kept, is_trusted ? all : none)));

  Outcome outcome;
  for (const check::Rules* rules : {&held.own, &held.kept}) {
    for (trace::Constraint& each : rules->constraints()) {
      outcome.constraints.push_back(std::move(each));
    }
  }
  const bool with_prompts = held.own.has_commands() || held.kept.has_commands();
  TRY(report::project(workspace.repository(), subject.run, subject.head, {.bundles = with_prompts},
                      [&](DecisionEvent&& event) -> Result<void> {
                        std::vector<CheckResult> results;
                        for (check::Checks& each : checks) {
                          for (CheckResult& result : each.judge(event))
                            results.push_back(std::move(result));
                          each.observe(event);
                        }
                        if (results.empty()) return {};
                        const check::ActionEffects action_effects = check::effects_of_action(event);
                        outcome.unread_calls += action_effects.unread_calls;
                        for (const std::string& tool : action_effects.unknown_tools)
                          ++outcome.unknown_tools[tool];
                        const CheckStatus status = check::status_of(results);
                        ++outcome.counts.at(static_cast<std::size_t>(status));
                        outcome.not_made += static_cast<std::size_t>(
                            std::count_if(results.begin(), results.end(), check::is_not_made));
                        const std::string* summary = check::readable(event.agent_action.summary);
                        outcome.judged.push_back(
                            {event.commit, event.event_id, event.agent_action.type,
                             summary != nullptr ? *summary : "", std::move(results)});
                        return {};
                      }));
  return outcome;
}

// A refused call did nothing that a check could look at, so its judgement remains that of the check
// that refused it.
void keep_refusal(const std::vector<check::Judgement>& earlier, check::Judgement& judgement) {
  for (const check::Judgement& kept : earlier) {
    for (const CheckResult& result : kept.results) {
      std::erase_if(judgement.results,
                    [&](const CheckResult& now) { return now.check == result.check; });
    }
  }
}

// Records new judgements only; an equal one in the store is not repeated.
Result<std::vector<Oid>> keep(graph::Repository& repository, const std::vector<Judged>& judged) {
  const auto earlier = TRY(check::read_evaluations(repository));
  std::vector<check::Judgement> judgements;
  for (const Judged& each : judged) {
    if (each.type == trace::AgentAction::Type::override_) continue;  // It is a judgement itself.
    check::Judgement judgement;
    judgement.commit = each.commit;
    judgement.results = each.results;
    if (const auto known = earlier.find(each.commit); known != earlier.end()) {
      if (each.type == trace::AgentAction::Type::blocked) keep_refusal(known->second, judgement);
      if (judgement.results.empty()) continue;
      if (check::says_the_same(known->second.back(), judgement)) continue;
    }
    judgements.push_back(std::move(judgement));
  }
  return check::record(repository, judgements, "check");
}

std::string words_of(const CheckResult& result) {
  return fmt::format("{} {}", trace::name_of(result.status), result.check);
}

void print_json(Session& session, const DebriefSubject& subject, const Outcome& outcome,
                CheckStatus status) {
  JsonWriter json;
  json.object().key("run");
  subject.run ? json.value(subject.run->id) : json.null();
  json.member("head", subject.head).member("status", trace::name_of(status));
  json.list("constraints");
  for (const trace::Constraint& each : outcome.constraints) {
    json.object().member("id", each.id).member("type", trace::name_of(each.type));
    json.member("rule", each.rule).end();
  }
  json.end().list("actions");
  for (const Judged& each : outcome.judged) {
    json.object().member("commit", each.commit).member("event_id", each.event_id);
    json.member("action_type", trace::name_of(each.type)).member("summary", each.summary);
    json.member("status", trace::name_of(check::status_of(each.results))).list("results");
    for (const CheckResult& result : each.results) write_value(json, check::write_result(result));
    json.end().end();
  }
  json.end().key("counts").object();
  for (const auto each :
       {CheckStatus::pass, CheckStatus::warn, CheckStatus::fail, CheckStatus::unknown}) {
    json.member(trace::name_of(each), std::uint64_t{outcome.count(each)});
  }
  json.end().member("unread_calls", std::uint64_t{outcome.unread_calls});
  json.list("unknown_tools");
  for (const auto& [tool, calls] : outcome.unknown_tools) {
    json.object().member("tool", tool).member("calls", std::uint64_t{calls}).end();
  }
  json.end().list("notes");
  for (const Oid& note : outcome.notes) json.value(note);
  session.out().verbatim(json.end().end().take());
}

Style style_of(CheckStatus status) {
  switch (status) {
    case CheckStatus::fail:
      return Style::error;
    case CheckStatus::warn:
      return Style::warning;
    case CheckStatus::pass:
      return Style::added;
    case CheckStatus::unknown:
      break;
  }
  return Style::muted;
}

void print_action(Session& session, const Workspace& workspace, const Judged& judged,
                  bool with_passes) {
  const CheckStatus status = check::status_of(judged.results);
  const bool is_quiet = status == CheckStatus::pass && !with_passes;
  if (is_quiet) return;
  Output& out = session.out();
  out.print(style_of(status), fmt::format("{:<7}", trace::name_of(status))).print("  ");
  print_id(out, workspace, judged.commit, workspace.short_id(judged.commit));
  out.print(fmt::format("  {}  {}\n", trace::name_of(judged.type), visible_line(judged.summary)));
  for (const CheckResult& result : judged.results) {
    const bool is_passed = result.status == CheckStatus::pass && result.violations.empty();
    if (is_passed && !with_passes) continue;
    if (result.violations.empty()) {
      out.print("         ").print(words_of(result)).newline();
    }
    for (const trace::Violation& violation : result.violations) {
      out.print(fmt::format("         {} ({}, {}): {}\n", violation.id,
                            trace::name_of(violation.severity), result.check,
                            visible_line(violation.message.text)));
      const std::string& evidence = violation.evidence.text;
      const bool says_more =
          !evidence.empty() && violation.message.text.find(evidence) == std::string::npos;
      if (says_more) out.print(fmt::format("             {}\n", visible_line(evidence)));
    }
  }
}

// Returns the calls without a judgement: `; 3 calls could not be read; what these tools do is not
// known: wait (2)`.
std::string passed_over(const Outcome& outcome) {
  std::string text;
  if (outcome.unread_calls > 0) {
    text += fmt::format("; {} could not be read", counted(outcome.unread_calls, "call"));
  }
  constexpr std::size_t kMost = 5;
  std::size_t shown = 0;
  for (const auto& [tool, calls] : outcome.unknown_tools) {
    if (shown == kMost) {
      text += fmt::format(" and {}", counted(outcome.unknown_tools.size() - kMost, "other"));
      break;
    }
    text += shown++ == 0 ? "; the effects of these tools are unknown: " : ", ";
    text += fmt::format("{} ({})", visible_line(tool), grouped(calls));
  }
  return text;
}

Result<void> run(Session& session, const Arguments& arguments) {
  Workspace& workspace = *TRY(session.workspace());
  const auto subject = TRY(find_subject(workspace, arguments.text("run", "latest")));
  const Held held = TRY(held_to(session, workspace, subject, arguments));
  if (!has_checks(held.own) && !has_checks(held.kept)) {
    return invalid("no constraints to check",
                   "add '--constraints FILE', or --constraint 'scope: only src/'");
  }
  // A store of unknown origin must not choose a program to run here, even with --trust.
  const bool asks_others = held.kept.asks_others();
  const bool trusts = arguments.has("--trust");
  if (trusts && asks_others) TRY(session.require_trust());
  Outcome outcome = TRY(judge(session, workspace, subject, held, trusts));
  if (arguments.has("--record")) {
    outcome.notes = TRY(keep(workspace.repository(), outcome.judged));
  }
  CheckStatus status = CheckStatus::unknown;  // The worst, in ascending order.
  for (const auto each :
       {CheckStatus::pass, CheckStatus::unknown, CheckStatus::warn, CheckStatus::fail}) {
    if (outcome.count(each) > 0) status = each;
  }
  if (outcome.fails()) session.exit_with(kExitFailed);
  if (arguments.has("--json")) {
    print_json(session, subject, outcome, status);
    return {};
  }
  for (const Judged& each : outcome.judged) {
    print_action(session, workspace, each, arguments.has("--all"));
  }
  Output& out = session.out();
  out.print(style_of(status), trace::name_of(status));
  out.print(fmt::format(": {} judged", counted(outcome.judged.size(), "action")));
  for (const auto each : {CheckStatus::fail, CheckStatus::warn, CheckStatus::unknown}) {
    if (outcome.count(each) > 0) {
      out.print(fmt::format(", {} {}", outcome.count(each), trace::name_of(each)));
    }
  }
  out.print(passed_over(outcome));
  if (arguments.has("--record"))
    out.print(fmt::format("; {}", counted(outcome.notes.size(), "note")));
  out.newline();
  if (outcome.judged.empty()) {
    session.err().print("hint: the rules apply to no action; this is not a pass\n");
  }
  if (!trusts && asks_others) {
    const bool is_own = session.require_trust().has_value();
    session.err().print(
        is_own ? "hint: '--trust' runs the programs and asks the models that the run names\n"
               : "hint: the programs and models that the run names are skipped: the store is "
                 "not trusted\n");
  }
  return {};
}

constexpr std::array kExamples = {
    Example{"spoor check", "check the newest run against its own constraints"},
    Example{"spoor check claude/3f2a91c4 --constraints constraints.toml --record",
            "check a session of another agent and record the results"},
    Example{"spoor check latest --constraint 'scope: never @ci, @infra'", "check one rule"},
};

}  // namespace

extern const Command kCheck{
    .name = "check",
    .summary = "Check a run against constraints",
    .options = kOptions,
    .run = run,
    .group = Group::read,
    .pages = true,
    .details =
        "Checks each action of a run, or of any history, against the constraints of a file\n"
        "(docs/checks.md), of the command line and of the run itself. The exit status is 0\n"
        "if all checks pass or warn. It is 1 if one fails, cannot be made or is unknown, or\n"
        "if no check applies. Programs and models that the run's own constraints name are\n"
        "skipped unless --trust is given: the store may come from another person.",
    .examples = kExamples,
};

}  // namespace spoor::cli
