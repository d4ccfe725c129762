#include "report/event/failure_modes.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/words.h"
#include "compile/facts_view.h"
#include "llm/sent_prompt.h"
#include "report/event/event.h"

namespace spoor::report {

namespace {

using Verdict = llm::SentPrompt::Verdict;
using Withheld = llm::SentPrompt::Withheld;

constexpr std::array<std::pair<FailureMode, std::string_view>, 6> kModes = {{
    {FailureMode::no_bundle, "model-call-without-bundle"},
    {FailureMode::no_correlation, "action-without-ids"},
    {FailureMode::no_capture_mode, "missing-capture-mode"},
    {FailureMode::no_evaluation, "missing-evaluation"},
    {FailureMode::unrecorded_transformation, "unrecorded-transformation"},
    {FailureMode::no_result, "tool-call-without-result"},
}};

bool is_digits(const std::string& id, std::size_t count) {
  return id.size() == count && id.find_first_not_of("0123456789abcdef") == std::string::npos &&
         id.find_first_not_of('0') != std::string::npos;
}

bool is_judged(const Evaluation& evaluation) {
  return evaluation.alignment != CheckStatus::unknown ||
         evaluation.quality != CheckStatus::unknown || evaluation.policy != CheckStatus::unknown;
}

constexpr std::array<std::pair<Profile, std::string_view>, 2> kProfiles = {{
    {Profile::white_box, "white-box"},
    {Profile::black_box, "black-box"},
}};

bool is_unknown(const std::string& word) { return word.empty() || word == kUnknown; }
bool is_unknown(const Content& content) { return content.mode == Content::Mode::unknown; }

}  // namespace

std::string_view name_of(Profile profile) { return word_in(kProfiles, profile); }

std::optional<Profile> profile_from(std::string_view name) { return value_in(kProfiles, name); }

std::vector<std::string> missing_of(const DecisionEvent& event, Profile profile) {
  std::vector<std::string> missing;
  const auto need = [&missing](bool is_there, const char* what) {
    if (!is_there) missing.emplace_back(what);
  };
  const bool is_completion = event.kind == EventKind::completion;
  need(!is_unknown(event.timestamp), "timestamp");
  need(!is_unknown(event.request.user_request_raw), "request/user_request_raw");
  if (is_completion) {
    need(event.model_output && !is_unknown(event.model_output->output_raw),
         "model_output/output_raw");
  }
  if (event.kind == EventKind::action) {
    bool is_told = !event.agent_action.tool_results.empty();
    for (const ToolResult& result : event.agent_action.tool_results) {
      is_told = is_told && !is_unknown(result.output);
    }
    need(is_told, "agent_action/tool_results");
  }
  if (profile == Profile::black_box) return missing;

  const PromptProvenance& provenance = event.prompt_provenance;
  need(!is_unknown(event.session.session_id), "session/session_id");
  need(!is_unknown(event.session.agent_id), "session/agent_id");
  const bool is_of_model = is_completion || event.kind == EventKind::failed_call;
  if (!is_of_model && event.kind != EventKind::action) return missing;
  need(!is_unknown(provenance.provider), "prompt_provenance/provider");
  need(!is_unknown(provenance.model), "prompt_provenance/model");
  need(!is_unknown(provenance.bundle_hash), "prompt_provenance/prompt_bundle_hash");
  if (is_completion && event.model_output) {
    need(event.model_output->input_tokens.has_value(), "model_output/usage/input_tokens");
    need(event.model_output->output_tokens.has_value(), "model_output/usage/output_tokens");
  }
  return missing;
}

std::string_view name_of(FailureMode mode) { return word_in(kModes, mode); }

void Auditor::note(FailureMode mode, bool is_error, const Oid& commit, std::string why) {
  found_.push_back({found_.size(),
                    {mode, is_error || options_.required.contains(mode), commit, std::move(why)}});
}

// Checks the bundle that the answer names as its prompt, and whether it equals the sent request.
Result<void> Auditor::look_at_prompt(const DecisionEvent& event, const store::Commit& commit) {
  if (options_.profile == Profile::black_box) return {};
  const PromptProvenance& provenance = event.prompt_provenance;
  if (!commit.prompt) {
    note(FailureMode::no_bundle, true, event.commit, "no prompt is recorded");
    return {};
  }
  if (!provenance.bundle) {
    note(FailureMode::no_bundle, true, event.commit, "the prompt cannot be read any more");
    return {};
  }
  if (hash_of(*provenance.bundle) != provenance.bundle_hash) {
    note(FailureMode::no_bundle, true, event.commit, "the hash does not match the bundle");
  }
  const auto sent = TRY(llm::sent_bundle(repository_, *commit.prompt));
  if (sent.verdict == Verdict::verified) {
    ++verified_;
  } else if (sent.verdict == Verdict::differs) {
    note(FailureMode::unrecorded_transformation, true, event.commit,
         "the turns do not reproduce what was sent: " + sent.why);
  } else {
    // Not an error if a tombstone or the mode is the recorded reason why a content is absent.
    const bool is_error = sent.withheld == Withheld::no;
    note(FailureMode::unrecorded_transformation, is_error, event.commit,
         "what was sent cannot be rebuilt: " + sent.why);
  }
  return {};
}

Result<void> Auditor::look_at_capture(const DecisionEvent& event, const store::Commit& commit) {
  compile::FactsView facts;
  TRY(facts.read(commit.meta));
  const auto word = facts.json(fact::capture);
  if (word && !compile::capture_from(word.text())) {
    note(FailureMode::no_capture_mode, true, event.commit,
         fmt::format("'{}' is not a capture mode", valid_utf8(word.text())));
    return {};
  }
  if (word || facts.json(fact::capture_fields)) return {};
  std::vector<const Content*> contents = {&event.agent_action.summary};
  if (event.model_output) contents.push_back(&event.model_output->output_raw);
  for (const ToolResult& result : event.agent_action.tool_results) {
    contents.push_back(&result.output);
  }
  for (const Content* content : contents) {
    if (content->mode != Content::Mode::hashed) continue;
    note(FailureMode::no_capture_mode, true, event.commit,
         "a commitment is stored, but no mode is recorded");
    return {};
  }
  return {};
}

void Auditor::look_at_calls(const DecisionEvent& event, const store::Commit& commit) {
  compile::FactsView facts;
  if (!facts.read(commit.meta)) return;
  const std::string& run = event.session.run_id;
  switch (event.kind) {
    case EventKind::completion: {
      const std::size_t calls = event.model_output ? event.model_output->tool_calls.size() : 0;
      const bool is_plan = facts.says(fact::purpose, "plan");
      spans_.insert(event.span_id);
      if (calls == 0 || is_plan || event.agent_action.type != AgentAction::Type::plan) return;
      waiting_[event.span_id] = {event.commit, calls, 0, found_.size(), run};
      last_[run] = event.span_id;
      return;
    }
    case EventKind::action: {
      if (facts.get(fact::unverified)) {
        note(FailureMode::no_result, true, event.commit,
             "the process ended during the call: its effect is unknown");
      }
      const auto waits = waiting_.find(event.parent_span_id);
      if (waits != waiting_.end() && ++waits->second.results == waits->second.calls) {
        waiting_.erase(waits);
      }
      return;
    }
    case EventKind::end:
      if (facts.says(fact::stopped, "goal_achieved")) achieved_.insert(run);
      return;
    default:
      return;
  }
}

Result<void> Auditor::add(const DecisionEvent& event) {
  ++events_;
  const auto commit = TRY(repository_.reader().commit(event.commit));
  const bool is_of_model =
      event.kind == EventKind::completion || event.kind == EventKind::failed_call;
  if (is_of_model) TRY(look_at_prompt(event, *commit));
  TRY(look_at_capture(event, *commit));

  const bool has_ids =
      is_digits(event.trace_id, 32) && is_digits(event.span_id, 16) && event.event_id.size() == 36;
  if (!has_ids) {
    note(FailureMode::no_correlation, true, event.commit, "the ids are invalid");
  } else if (event.kind == EventKind::action && !spans_.contains(event.parent_span_id)) {
    note(FailureMode::no_correlation, true, event.commit,
         "no completion that asked for it is known");
  }
  look_at_calls(event, *commit);
  if (event.kind == EventKind::action && !is_judged(event.evaluation)) {
    note(FailureMode::no_evaluation, false, event.commit, "it was not judged");
  }
  return {};
}

std::vector<Failing> Auditor::finish() {
  for (const auto& [span, waits] : waiting_) {
    // The last calls of a run that was stopped, or is still running, were not begun.
    const bool may_wait = last_[waits.run] == span && !achieved_.contains(waits.run);
    const std::size_t open = waits.calls - waits.results;
    found_.push_back(
        {waits.place,
         {FailureMode::no_result, !may_wait || options_.required.contains(FailureMode::no_result),
          waits.commit,
          fmt::format("{} of its {} calls {} no result{}", open, waits.calls,
                      open == 1 ? "has" : "have",
                      may_wait ? ": the run has not reached them" : "")}});
  }
  waiting_.clear();
  std::stable_sort(found_.begin(), found_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Failing> failings;
  for (auto& [place, failing] : found_) failings.push_back(std::move(failing));
  return failings;
}

}  // namespace spoor::report
