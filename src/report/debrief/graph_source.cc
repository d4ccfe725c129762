#include "report/debrief/graph_source.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "agent/planners/steps.h"
#include "agent/reading/rationale_blocks.h"
#include "agent/spent_facts.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "compile/commitment.h"
#include "compile/facts_view.h"
#include "compile/turn.h"
#include "llm/commit_reply.h"
#include "llm/open_requests.h"
#include "report/debrief/excerpt.h"
#include "report/debrief/fold.h"
#include "report/debrief/phrases.h"
#include "report/debrief/shown_texts.h"
#include "trace/bytes.h"
#include "trace/deriver.h"
#include "trace/tool_call.h"
#include "trace/totals.h"

namespace spoor::report::debrief {
namespace {

using compile::FactsView;
using trace::Step;

constexpr std::size_t kMaxGoal = 1'000;
constexpr std::uint64_t kMaxCiting = 100;  // Newest calls that may contain a citation (fold.cc).

std::string canonical_of(const json::Value& value) {
  std::string text;
  if (value) json::append_canonical(text, value);
  return text;
}

// Returns how a run ended, in the words of a verdict.
std::string verdict_word(std::string_view stopped, std::string_view by) {
  if (by == "approval") return "waiting";  // For a person.
  if (stopped == "goal_achieved") return "success";
  if (stopped == "interrupted") return "cancelled";
  return stopped == "error" ? "failure" : "stopped";
}

TokenCost cost_of(const trace::Spent& spent) {
  return {.input = agent::request_tokens(spent.usage),
          .output = spent.usage.output,
          .money = spent.cost};
}

std::optional<trace::Reason> stated(const trace::Reason& reason) {
  if (reason.source == trace::Reason::Source::none) return std::nullopt;
  return reason;
}

// Passes the events of a run to a fold, step by step.
class FactWriter {
 public:
  FactWriter(const graph::Repository& repository, const std::optional<RunName>& run,
             const GraphOptions& options)
      : repository_(repository),
        reader_(repository.reader()),
        run_(run),
        options_(options),
        fold_(options.most),
        totals_(reader_, options.prices) {
    fold_.debrief().is_run = run_.has_value();
    if (run_) fold_.debrief().root = run_->root;
  }

  Result<void> take(const Step& step) {
    TRY(totals_.add(step));
    if (!step.is_inherited) fold_.debrief().commits += commits_of(step);
    return std::visit([&](const auto& what) { return write(step, what); }, step.what);
  }

  Result<Debrief> finish(const Oid& head) {
    fold_.debrief().head = head;
    if (!options_.summary) TRY(read_shown(reader_, fold_.debrief()));
    Debrief debrief = fold_.finish();
    debrief.totals = totals_.totals();
    if (run_) {
      const auto open = TRY(llm::open_requests(repository_, run_->id));
      trace::add_unsettled(*debrief.totals, llm::sendings_of(open));
    }
    debrief.cost.money = debrief.totals->cost.money;
    if (run_ && !options_.summary) TRY(read_agents(debrief));
    if (debrief.verdict && !debrief.verdict->cost) debrief.verdict->cost = debrief.cost.money;
    if (!options_.summary && !run_ && last_answer_) {
      debrief.last_words = first_line(TRY(text_of(*last_answer_)), kMaxGoal);
    }
    return debrief;
  }

  DebriefFold& fold() { return fold_; }

 private:
  Result<void> read_agents(Debrief& debrief) const {
    for (const RunName& run : TRY(agent::called_by(repository_, run_->id))) {
      const Debrief inner = TRY(
          debrief_of(repository_, run, {.most = 1, .summary = true, .prices = options_.prices}));
      const auto root = TRY(reader_.commit(run.root));
      FactsView facts;
      if (!root->about.empty()) TRY(facts.read(TRY(reader_.commit(root->about.front()))->meta));
      debrief.agents.add({.agent = run.agent,
                          .run = run.id,
                          .step = facts.get(fact::step).value_or(0),
                          .status = status_of(inner),
                          .steps = inner.steps,
                          .calls = inner.calls,
                          .failed = inner.failed,
                          .refused = inner.refused,
                          .cost = inner.cost});
    }
    return {};
  }

  static std::uint64_t commits_of(const Step& step) {
    if (const auto* message = std::get_if<trace::Message>(&step.what)) {
      return message->records.size() + message->reasoning.size();
    }
    const auto* call = std::get_if<trace::Call>(&step.what);
    return call != nullptr && !call->result ? 0 : 1;
  }

  void add(const Step& step, Fact::What what) { add(step, step.at, std::move(what)); }
  void add(const Step& step, const store::NamedCommit& at, Fact::What what) {
    fold_.add({step.turn, at.oid, at.commit->time, std::move(what), step.is_inherited});
  }

  // Returns the text of a commit. An absent text is empty; a text that is only a hash is shown by
  // its words.
  Result<std::string> text_of(const store::NamedCommit& at) const {
    if (!at.commit->content) return std::string();
    const auto bytes = TRY(trace::bytes_of(reader_, {at.commit->content->oid}));
    return bytes[0] ? compile::shown_text(*bytes[0]) : std::string();
  }

  Result<std::optional<Rationale>> rationale_of(const store::NamedCommit& at) const {
    if (!at.commit->fields) return std::optional<Rationale>();
    const auto bytes = TRY(trace::bytes_of(reader_, {*at.commit->fields}));
    if (!bytes[0]) return std::optional<Rationale>();
    const compile::Fields fields = TRY(compile::read_fields(*bytes[0]));
    const auto read = json::parse(fields.rationale);
    return read ? agent::clean_rationale(read->root()).rationale : std::nullopt;
  }

  // --- Steps of a session or run -----------------------------------------------

  // The first request in a session is its goal.
  Result<void> write(const Step& step, const trace::Request& request) {
    if (run_ || request.is_injected) return {};
    if (!std::exchange(has_goal_, true)) {
      add(step,
          RunStarted{.goal = cut(TRY(text_of(step.at)), kMaxGoal), .model = fold_.debrief().model});
    } else if (!options_.summary) {
      add(step, Noted{"asked", first_line(TRY(text_of(step.at)), kMaxSaid)});
    }
    return {};
  }

  Result<void> write(const Step&, const trace::Context&) { return {}; }

  Result<void> write(const Step& step, const trace::Message& message) {
    if (fold_.debrief().model.empty()) fold_.debrief().model = message.model;
    const auto& last = message.records.empty() ? message.reasoning.back() : message.records.back();
    const auto by = message.is_critic ? Spent::By::critic : Spent::By::agent;
    if (message.is_critic) {  // In its own chain, so its times are not the run's.
      fold_.add({.step = step.turn, .commit = last.oid, .what = Spent{cost_of(message.spent), by}});
      return {};
    }
    if (!message.continues) add(step, last, Spent{cost_of(message.spent), by});
    if (!message.records.empty()) last_answer_ = last;
    if (!message.cut_off.empty()) {
      add(step, Noted{"answer cut off", message.cut_off});
      return {};
    }
    if (!run_ && !message.finish_reason.empty()) {
      add(step, last, Terminated{.by = message.finish_reason});
    }
    if (message.is_plan) {  // Its steps are added when they begin.
      if (!message.calls.empty()) plan_ = message.calls;
      return {};
    }
    for (const trace::AskedCall& call : message.calls) choose(step, call, call.name);
    return {};
  }

  void choose(const Step& step, const trace::AskedCall& call, const std::string& tool) {
    const std::string target = cut(trace::target_of(tool, call.arguments), kMaxSaid);
    add(step, CallChosen{call.number, tool, {}, stated(call.reason), target});
  }

  Result<void> write(const Step& step, const trace::Call& call) {
    if (!call.is_asked()) return {};
    // A step of a plan whose beginning was not recorded.
    if (call.is_planned && begun_.insert(call.asked.number).second) {
      choose(step, call.asked, call.tool);
    }
    if (!call.result) return {};
    // A sub-agent's tokens, or another price of the tool.
    if (call.spent.is_known()) add(step, Spent{cost_of(call.spent), Spent::By::tool});
    add(step, CallReturned{.number = call.asked.number,
                           .tool = call.tool,
                           .is_error = call.is_error,
                           .is_refused = call.outcome == trace::Outcome::refused,
                           .exit_code = call.exit_code,
                           .artifact = call.artifact});
    return {};
  }

  Result<void> write(const Step& step, const trace::FailedRequest& failed) {
    if (failed.spent.is_known()) add(step, Spent{cost_of(failed.spent), Spent::By::agent});
    add(step, Noted{std::string(llm::kCallFailed), ""});
    return {};
  }

  Result<void> write(const Step& step, const trace::Compaction& compaction) {
    if (compaction.spent.is_known()) {
      add(step, Spent{cost_of(compaction.spent), Spent::By::critic});
    }
    return {};
  }

  Result<void> write(const Step& step, const trace::Nudge& nudge) {
    const bool is_critique = nudge.mark == "critique";
    if (options_.summary || (!is_critique && nudge.mark != "nudge")) return {};
    if (is_critique) TRY(note_rejected(step));
    add(step, Noted{nudge.mark, ""});
    return {};
  }

  // Notes the answer that a critic sent back.
  Result<void> note_rejected(const Step& step) {
    if (!std::exchange(has_attempt_answer_, false) || !last_answer_) return {};
    const std::string text = TRY(text_of(*last_answer_));
    const auto json = agent::planners::parse_step(text);
    const std::string answer = json ? json->final_answer.value_or("")
                                    : agent::reading::read_rationale_blocks(text).stripped;
    if (!answer.empty()) add(step, *last_answer_, Noted{"answer", first_line(answer, kMaxSaid)});
    return {};
  }

  // Notes the steps of a plan that a new plan replaces before they began.
  void note_replaced(const Step& step) {
    std::string names;
    for (const trace::AskedCall& call : std::exchange(plan_, {})) {
      if (begun_.contains(call.number)) {
        names.clear();  // Later ones only.
      } else {
        names += (names.empty() ? "" : ", ") + call.name;
      }
    }
    if (!names.empty()) add(step, Noted{"plan replaced", cut("not taken: " + names, kMaxSaid)});
  }

  Result<void> write(const Step& step, const trace::End& end) {
    if (!run_ || step.is_inherited) return {};  // The continued run did not end.
    FactsView facts;
    TRY(facts.read(step.at.commit->meta));
    const std::string by = facts.get(fact::by);
    Terminated terminated{.by = by.empty() ? end.stopped : by,
                          .limit = canonical_of(facts.json(fact::limit)),
                          .spent = canonical_of(facts.json(fact::spent))};
    Completed completed{.status = verdict_word(end.stopped, by), .stopped = end.stopped};
    if (!options_.summary) {
      terminated.rationale = TRY(rationale_of(step.at));
      completed.answer = TRY(text_of(step.at));
      completed.error = TRY(message_of(step.at));
    }
    add(step, std::move(terminated));
    add(step, std::move(completed));
    return {};
  }

  Result<std::string> message_of(const store::NamedCommit& at) const {
    if (!at.commit->extra) return std::string();
    const auto bytes = TRY(trace::bytes_of(reader_, {*at.commit->extra}));
    return bytes[0] ? TRY(compile::read_extra(*bytes[0])).message : std::string();
  }

  // --- Decisions -----------------------------------------------------------------

  Result<void> write(const Step& step, const trace::Decision& decision) {
    if (!run_) return {};  // A run within the history.
    FactsView facts;
    TRY(facts.read(step.at.commit->meta));
    if (step.at.oid == run_->root) {
      add(step, RunStarted{run_->id, cut(TRY(text_of(step.at)), kMaxGoal), facts.get(fact::planner),
                           facts.get(fact::principal), facts.get(fact::session), ""});
      return {};
    }
    const std::string& word = decision.word;
    if (decision.begun) return begin_step(step, *decision.begun, facts);
    if (word == "step-started") return {};
    if (options_.summary) {
      add(step, Noted{word, ""});
      return {};
    }
    return write_decision(step, word, facts);
  }

  // Texts of lists are read for the entries that are kept (read_shown).
  Result<void> write_decision(const Step& step, const std::string& word, const FactsView& facts) {
    const auto integer = [&facts](const fact::Integer& key) {
      return static_cast<std::uint64_t>(std::max<std::int64_t>(0, facts.get(key).value_or(0)));
    };
    constexpr std::string_view kCurator = "curator-";
    constexpr std::string_view kReactive = "reactive-";
    if (word == "attempt-ended") {  // The critic's verdict on it is added instead.
      has_attempt_answer_ = facts.says(fact::stopped, "goal_achieved");
      return {};
    }
    if (word == "replan") note_replaced(step);
    if (word == "assumption") {
      add(step, Assumed{});
    } else if (word == "rationale-missing") {
      add(step, ReasonMissing{integer(fact::call), facts.get(fact::tool)});
    } else if (word == "plan-rationale-missing") {
      add(step, PlanReasonsMissing{integer(fact::count)});
    } else if (word == "unknown-ref") {
      TRY(read_recent_reasons());
      add(step, RefUnknown{integer(fact::call), TRY(text_of(step.at))});
    } else if (word == "strategy-switch") {
      add(step, StrategySwitched{facts.get(fact::from), facts.get(fact::to), TRY(text_of(step.at)),
                                 TRY(rationale_of(step.at))});
    } else if (word == "alternatives") {
      add(step, Weighed{});
    } else if (word.starts_with(kCurator)) {
      add(step, Curated{word.substr(kCurator.size()), {}, {}});
    } else if (word.starts_with(kReactive)) {
      add(step, Reacted{word.substr(kReactive.size()), {}, {}});
    } else {
      add(step, Noted{word, ""});
    }
    return {};
  }

  // Begins a step of a plan, with or without a result.
  Result<void> begin_step(const Step& step, const trace::AskedCall& call, const FactsView& facts) {
    if (!begun_.insert(call.number).second) return {};
    std::string tool = facts.get(fact::tool);
    if (tool.empty()) tool = TRY(text_of(step.at));
    choose(step, call, tool);
    return {};
  }

  // Reads reasons in which the fold looks for the call that cites the reference.
  Result<void> read_recent_reasons() {
    auto& path = fold_.debrief().path;
    std::vector<PathEntry*> recent;
    for (std::uint64_t back = 1; back <= std::min(path.total(), kMaxCiting); ++back) {
      PathEntry* entry = path.at(path.total() - back);
      if (entry != nullptr && entry->unread) recent.push_back(entry);
    }
    return debrief::read_reasons(reader_, recent);
  }

  const graph::Repository& repository_;
  const store::Reader& reader_;
  const std::optional<RunName> run_;
  const GraphOptions options_;
  DebriefFold fold_;
  trace::TotalsFold totals_;
  bool has_goal_ = false;
  std::optional<store::NamedCommit> last_answer_;
  bool has_attempt_answer_ = false;     // The attempt before a critique had an answer.
  std::vector<trace::AskedCall> plan_;  // The last one.
  std::set<std::uint64_t> begun_;       // Steps of plans, by the numbers of their calls.
};

Result<Debrief> read(const graph::Repository& repository, const std::optional<RunName>& run,
                     const Oid& head, const GraphOptions& options) {
  FactWriter writer(repository, run, options);
  if (run) {
    const auto origins = TRY(agent::origins_of(repository, run->root));
    if (!origins.empty()) writer.fold().debrief().origin = origins.front();
  }
  const trace::DeriveOptions derive{
      .run = run, .with_origins = true, .arguments = !options.summary};
  TRY(trace::derive(repository, derive, head, [&](const Step& step) { return writer.take(step); }));
  return writer.finish(head);
}

}  // namespace

Result<Debrief> debrief_of(const graph::Repository& repository, const RunName& run,
                           const GraphOptions& options) {
  return read(repository, run, run.head, options);
}

Result<Debrief> debrief_of(const graph::Repository& repository, const Oid& head,
                           const GraphOptions& options) {
  return read(repository, std::nullopt, head, options);
}

}  // namespace spoor::report::debrief
