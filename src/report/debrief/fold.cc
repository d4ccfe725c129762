#include "report/debrief/fold.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "report/debrief/excerpt.h"

namespace spoor::report::debrief {
namespace {

constexpr const char* kOthers = "(others)";
constexpr const char* kResumed = "resumed";

// Returns the bucket of a confidence: from is included, to is not, except in the last bucket.
Calibration& bucket_of(std::array<Calibration, 4>& buckets, double confidence) {
  for (Calibration& bucket : buckets) {
    if (confidence < bucket.to) return bucket;
  }
  return buckets.back();
}

trace::Reason::Source source_of(const CallChosen& chosen) {
  if (chosen.unread) return chosen.unread->source;
  return chosen.rationale ? trace::Reason::Source::rationale : trace::Reason::Source::none;
}

std::string how_it_ended(const Check& check) {
  if (check.outcome.exit_code.value_or(0) != 0) {
    return fmt::format("ended with exit code {}", *check.outcome.exit_code);
  }
  return "failed";
}

std::vector<std::string> contradictions_of(const Debrief& debrief, std::size_t open) {
  std::vector<std::string> found;
  if (!debrief.verdict || debrief.verdict->status != "success") return found;
  if (debrief.last_check && debrief.last_check->is_bad()) {
    found.push_back(fmt::format("it claims success, but its last check, {} in step {}, {}",
                                debrief.last_check->tool, debrief.last_check->place.step,
                                how_it_ended(*debrief.last_check)));
  }
  // If a source records no results, their absence means nothing.
  if (open > 0 && debrief.returned > 0) {
    found.push_back(fmt::format("it claims success, but {} {} no result", open,
                                open == 1 ? "call has" : "calls have"));
  }
  return found;
}

}  // namespace

// One overload for each kind of fact.
struct DebriefFold::Adder {
  DebriefFold& fold;
  const Fact& fact;

  DebriefFold::State& state() const { return fold.state_; }
  Debrief& debrief() const { return state().debrief; }
  Position place() const { return fold.position_of(fact); }

  void operator()(const RunStarted& started) const {
    if (!started.run_id.empty()) debrief().run_id = started.run_id;
    debrief().goal = started.goal;
    debrief().planner = started.planner;
    debrief().principal = started.principal;
    debrief().session = started.session;
    if (!started.model.empty()) debrief().model = started.model;
  }

  void operator()(const CallChosen& chosen) const {
    ToolUse& use = fold.use_of(chosen.tool);
    ++use.calls;
    ++debrief().calls;
    std::optional<double> confidence;
    const bool is_explained = chosen.rationale || chosen.unread;
    if (is_explained) {
      ++use.explained;
      ++debrief().explained;
      confidence = chosen.rationale ? chosen.rationale->confidence : chosen.unread->confidence;
    }
    PathEntry entry{.place = place(),
                    .action = "tool:" + chosen.tool,
                    .tool = chosen.tool,
                    .target = chosen.target,
                    .rationale = chosen.rationale,
                    .reason_source = source_of(chosen),
                    .unread = chosen.unread,
                    .cost = std::exchange(state().unclaimed, {})};
    const std::uint64_t index = debrief().path.add(std::move(entry));
    state().open.push_back({chosen.number, index, chosen.tool, is_explained, confidence});
    if (state().open.size() > kMaxOpen) state().open.pop_front();
  }

  void operator()(const CallReturned& returned) const {
    const auto found =
        std::find_if(state().open.begin(), state().open.end(), [&](const Open& open) {
          return returned.number != 0 ? open.number == returned.number : open.tool == returned.tool;
        });
    if (found == state().open.end()) return;
    Open open = std::move(*found);
    state().open.erase(found);
    if (!returned.tool.empty() && returned.tool != open.tool) {
      fold.rename(open, returned.tool);
      open.tool = returned.tool;
    }
    fold.close(open, returned, fact);
  }

  void operator()(const StrategySwitched& switched) const {
    PathEntry entry{.place = place(),
                    .action = "strategy:" + switched.from + "→" + switched.to,
                    .is_switch = true,
                    .from = switched.from,
                    .to = switched.to,
                    .rationale = switched.rationale};
    if (!entry.rationale && !switched.reason.empty()) {
      entry.rationale = Rationale{.why = switched.reason};
    }
    debrief().path.add(std::move(entry));
  }

  void operator()(const Assumed& assumed) const {
    debrief().assumptions.add({place(), assumed.assumption, assumed.rationale});
  }
  void operator()(const Curated& curated) const {
    debrief().curator.add({place(), curated.action, curated.target, curated.rationale});
  }
  void operator()(const Weighed& weighed) const {
    debrief().alternatives.add({place(), weighed.chosen, weighed.rejected});
  }
  void operator()(const Reacted& reacted) const {
    debrief().reactions.add({place(), reacted.action, reacted.what, reacted.rationale});
  }
  void operator()(const ReasonMissing&) const { ++debrief().reported_missing; }
  void operator()(const PlanReasonsMissing& missing) const {
    debrief().reported_missing += missing.count;
  }

  void operator()(const RefUnknown& unknown) const {
    debrief().unknown_refs.add({place(), unknown.call, unknown.ref});
    // Uses the newest call that cites it, the one that was checked.
    const std::uint64_t total = debrief().path.total();
    for (std::uint64_t back = 1; back <= std::min<std::uint64_t>(total, 100); ++back) {
      PathEntry* entry = debrief().path.at(total - back);
      if (entry == nullptr || !entry->rationale) continue;
      const auto& refs = entry->rationale->refs;
      if (std::find(refs.begin(), refs.end(), unknown.ref) == refs.end()) continue;
      entry->unknown_refs.push_back(unknown.ref);
      return;
    }
  }

  void operator()(const Noted& noted) const {
    debrief().notes.add({place(), noted.word, noted.text});
    if (noted.word != kResumed) return;
    debrief().termination = {};
    state().completed.reset();
  }

  void operator()(const Spent& spent) const {
    if (!fact.is_inherited) {
      agent::add(debrief().cost, spent.cost);
      if (spent.by != Spent::By::tool) ++debrief().answers;
    }
    if (spent.by == Spent::By::agent) state().unclaimed = spent.cost;
  }

  void operator()(const Terminated& terminated) const {
    debrief().termination = {place(), terminated.by, terminated.rationale, terminated.limit,
                             terminated.spent};
  }

  void operator()(const Completed& completed) const { state().completed = completed; }
};

void DebriefFold::add(const Fact& fact) {
  if (fact.time && !fact.is_inherited) {
    if (!state_.debrief.began) state_.debrief.began = fact.time;
    const auto* noted = std::get_if<Noted>(&fact.what);
    const bool is_pause = noted != nullptr && noted->word == kResumed;
    if (state_.debrief.last && !is_pause) {
      state_.elapsed_us +=
          std::max<std::int64_t>(0, fact.time->micros - state_.debrief.last->micros);
    }
    // Facts of one answer may be out of order: no time is counted twice.
    if (!state_.debrief.last || *state_.debrief.last < *fact.time) state_.debrief.last = fact.time;
  }
  state_.debrief.steps = std::max(state_.debrief.steps, fact.step);
  std::visit(Adder{*this, fact}, fact.what);
  ++state_.facts;
}

Position DebriefFold::position_of(const Fact& fact) const {
  return {state_.facts, fact.step, fact.commit, fact.time};
}

// Keeps the map bounded, since a trace may name any number of tools.
ToolUse& DebriefFold::use_of(const std::string& tool) {
  const auto found = state_.debrief.tools.find(tool);
  if (found != state_.debrief.tools.end()) return found->second;
  return state_.debrief.tools[state_.debrief.tools.size() < kMaxTools ? tool : kOthers];
}

// Renames a call whose tool has a name other than the one given to the model.
void DebriefFold::rename(const Open& open, const std::string& tool) {
  for (const auto& [name, change] : {std::pair{&open.tool, false}, std::pair{&tool, true}}) {
    ToolUse& use = use_of(*name);
    const auto count = [is_new = change](std::uint64_t& counter) {
      is_new ? ++counter : counter -= std::min<std::uint64_t>(counter, 1);
    };
    count(use.calls);
    if (open.is_explained) count(use.explained);
  }
  if (const auto old = state_.debrief.tools.find(open.tool);
      old != state_.debrief.tools.end() && old->second.calls == 0) {
    state_.debrief.tools.erase(old);
  }
  PathEntry* entry = state_.debrief.path.at(open.index);
  if (entry == nullptr) return;
  entry->tool = tool;
  entry->action = "tool:" + tool;
}

void DebriefFold::close(const Open& open, const CallReturned& returned, const Fact& fact) {
  Outcome outcome{.is_error = returned.is_error,
                  .is_interrupted = returned.is_interrupted,
                  .is_refused = returned.is_refused,
                  .said = cut(returned.said, kMaxSaid),
                  .exit_code = returned.exit_code,
                  .commit = fact.commit};
  const bool is_bad = outcome.is_error || outcome.exit_code.value_or(0) != 0;
  ++state_.debrief.returned;
  if (outcome.is_refused) {
    ++state_.debrief.refused;
    ++use_of(open.tool).refused;
  } else if (is_bad) {
    ++state_.debrief.failed;
    ++use_of(open.tool).failed;
  }
  if (open.confidence) {
    Calibration& bucket = bucket_of(state_.debrief.calibration, *open.confidence);
    ++bucket.calls;
    if (is_bad) ++bucket.failed;
  }
  const bool is_check =
      returned.artifact == "test_run" || returned.artifact == "command" || returned.exit_code;
  if (is_check) state_.debrief.last_check = Check{position_of(fact), open.tool, outcome};
  if (PathEntry* entry = state_.debrief.path.at(open.index)) entry->outcome = std::move(outcome);
}

Debrief DebriefFold::finish() const {
  Debrief done = state_.debrief;
  done.elapsed_ms = state_.elapsed_us / 1'000;
  if (state_.completed) {
    done.verdict = Verdict{
        .status = state_.completed->status,
        .stopped = state_.completed->stopped,
        .tokens =
            state_.completed->tokens ? *state_.completed->tokens : done.cost.tokens().value_or(0),
        .cost = state_.completed->cost ? state_.completed->cost : done.cost.money,
        .elapsed_ms = state_.completed->elapsed_ms.value_or(done.elapsed_ms),
        .answer = state_.completed->answer,
        .error = state_.completed->error,
    };
  }
  done.contradictions = contradictions_of(done, state_.open.size());
  return done;
}

}  // namespace spoor::report::debrief
