#include "agent/debrief/graph_state.h"

#include "agent/debrief/packing.h"
#include "store/sha256.h"

namespace spoor::agent::debrief {

// What each is made of. The members that a list of them is bounded by are held to their rules on
// the way in.

template <class Pack, class Element>
void visit_parts(Pack& pack, Kept<Element>& list) {
  pack(list.head_, list.tail_, list.total_);
  if constexpr (requires { pack.require(true); }) {
    const std::size_t first = list.most_ - list.most_ / 2;
    pack.require(list.head_.size() <= first && list.tail_.size() <= list.most_ - first);
    pack.require(list.head_.size() == first || list.tail_.empty());
    pack.require(list.total_ >= list.size());
  }
}

// No number that is none, or stands for nothing.
template <class Pack>
void visit_confidence(Pack& pack, std::optional<double>& confidence) {
  pack(confidence);
  if constexpr (requires { pack.require(true); }) {
    pack.require(!confidence || (*confidence >= 0 && *confidence <= 1));
  }
}

template <class Pack>
void visit_parts(Pack& pack, Place& place) {
  pack(place.order, place.step, place.commit, place.time);
}
template <class Pack>
void visit_parts(Pack& pack, Alternative& alternative) {
  pack(alternative.option, alternative.rejected_because);
}
template <class Pack>
void visit_parts(Pack& pack, Rationale& rationale) {
  pack(rationale.why, rationale.refs, rationale.alternatives, rationale.has_empty_refs);
  visit_confidence(pack, rationale.confidence);
}
template <class Pack>
void visit_parts(Pack& pack, UnreadReason& unread) {
  pack(unread.fields, unread.call);
  visit_confidence(pack, unread.confidence);
}
template <class Pack>
void visit_parts(Pack& pack, Outcome& outcome) {
  pack(outcome.is_error, outcome.is_interrupted, outcome.said, outcome.exit_code, outcome.commit);
}
template <class Pack>
void visit_parts(Pack& pack, Cost& cost) {
  pack(cost.input, cost.output, cost.money);
}
template <class Pack>
void visit_parts(Pack& pack, PathEntry& entry) {
  pack(entry.place, entry.action, entry.is_switch, entry.tool, entry.from, entry.to,
       entry.rationale, entry.unread, entry.outcome, entry.cost, entry.unknown_refs);
}
template <class Pack>
void visit_parts(Pack& pack, Assumption& assumption) {
  pack(assumption.place, assumption.assumption, assumption.rationale);
}
template <class Pack>
void visit_parts(Pack& pack, CuratorAction& action) {
  pack(action.place, action.action, action.target, action.rationale);
}
template <class Pack>
void visit_parts(Pack& pack, Weighing& weighing) {
  pack(weighing.place, weighing.chosen, weighing.rejected);
}
template <class Pack>
void visit_parts(Pack& pack, Reaction& reaction) {
  pack(reaction.place, reaction.action, reaction.what, reaction.rationale);
}
template <class Pack>
void visit_parts(Pack& pack, UnknownRef& unknown) {
  pack(unknown.place, unknown.call, unknown.ref);
}
template <class Pack>
void visit_parts(Pack& pack, Note& note) {
  pack(note.place, note.word, note.text);
}
template <class Pack>
void visit_parts(Pack& pack, Termination& termination) {
  pack(termination.place, termination.by, termination.rationale, termination.limit,
       termination.spent);
}
template <class Pack>
void visit_parts(Pack& pack, Check& check) {
  pack(check.place, check.tool, check.outcome);
}
template <class Pack>
void visit_parts(Pack& pack, Calibration& bucket) {
  pack(bucket.calls, bucket.failed);
}
template <class Pack>
void visit_parts(Pack& pack, ToolUse& use) {
  pack(use.calls, use.explained, use.failed);
}
template <class Pack>
void visit_parts(Pack& pack, Origin& origin) {
  pack(origin.run, origin.root, origin.from_step);
}

// Without what finish() makes: the verdict, the time, the contradictions.
template <class Pack>
void visit_parts(Pack& pack, Debrief& debrief) {
  pack(debrief.run_id, debrief.goal, debrief.planner, debrief.principal, debrief.session,
       debrief.model, debrief.root, debrief.head, debrief.origin, debrief.commits, debrief.began,
       debrief.last, debrief.is_run, debrief.path, debrief.assumptions, debrief.curator,
       debrief.alternatives, debrief.reactions, debrief.unknown_refs, debrief.notes,
       debrief.termination, debrief.steps, debrief.calls, debrief.explained, debrief.returned,
       debrief.failed, debrief.reported_missing, debrief.tools, debrief.cost, debrief.answers,
       debrief.last_check);
  for (Calibration& bucket : debrief.calibration) pack(bucket);
}

template <class Pack>
void visit_parts(Pack& pack, Fold::Open& open) {
  pack(open.number, open.index, open.tool, open.is_explained);
  visit_confidence(pack, open.confidence);
}
template <class Pack>
void visit_parts(Pack& pack, Completed& completed) {
  pack(completed.status, completed.stopped, completed.tokens, completed.cost, completed.elapsed_ms,
       completed.answer, completed.error);
}
template <class Pack>
void visit_parts(Pack& pack, Fold::State& state) {
  pack(state.debrief, state.facts, state.open, state.unclaimed, state.completed, state.elapsed_us);
}
template <class Pack>
void visit_parts(Pack& pack, AnswerState& answer) {
  pack(answer.commit, answer.fields, answer.reasons, answer.unread, answer.numbers);
}
template <class Pack>
void visit_parts(Pack& pack, GraphState& state) {
  pack(state.fold, state.reached, state.critic, state.answer, state.earlier_plan, state.calls,
       state.by_id, state.last_content, state.has_goal, state.step, state.message, state.unbooked);
}

namespace {

// Another number for whatever changes what is packed, or what facts come to.
constexpr std::string_view kVersion = "debrief 3\n";

}  // namespace

std::string seal(std::string_view body) {
  std::string bytes(kVersion);
  bytes += store::sha256(body).view();
  return bytes += body;
}

std::string pack(const GraphState& state) {
  GraphState copy = state;
  Packer packer;
  packer(copy);
  return seal(packer.take());
}

bool is_current(std::string_view bytes) { return bytes.starts_with(kVersion); }

std::optional<GraphState> unpack(std::string_view bytes, std::size_t most) {
  if (!is_current(bytes)) return std::nullopt;
  bytes.remove_prefix(kVersion.size());
  GraphState state(most);
  const std::size_t hash = store::Oid{}.bytes.size();
  if (bytes.size() < hash) return std::nullopt;
  const std::string_view body = bytes.substr(hash);
  if (store::sha256(body).view() != bytes.substr(0, hash)) return std::nullopt;
  Unpacker unpacker(body);
  unpacker(state);
  return unpacker.is_sound() ? std::optional(std::move(state)) : std::nullopt;
}

}  // namespace spoor::agent::debrief
