#include "agent/record/left_open.h"

#include <array>
#include <set>
#include <string>

#include "agent/record/answer_facts.h"
#include "agent/record/recording.h"
#include "agent/runs.h"
#include "base/words.h"

namespace spoor::agent::record {
namespace {

using compile::ToolCall;
using compile::Turn;

Turn not_made(const ToolCall& call, std::int64_t number, std::string_view why,
              std::string_view by) {
  Observed observed{
      .call = number, .tool = {}, .call_id = call.id, .called_as = call.name, .result = {}};
  observed.result = failed(std::string(why));
  observed.result.facts.set(fact::refused_by, by);
  return observation_turn(observed, 0);
}

// Ends after which calls may be open. Others have their own results, or no calls.
constexpr std::array<std::string_view, 2> kLeavesCalls = {"approval", "interrupted"};

// Returns the answer that broke off at the end of a recording, if it is a text alone.
Result<std::optional<compile::Oid>> answer_cut_off(const graph::Repository& repository,
                                                   const Recording& recording) {
  const auto none = std::optional<compile::Oid>();
  if (recording.cut_off.empty()) return none;
  const compile::Oid& last = recording.cut_off.back();
  if (!recording.events.empty()) {
    const auto before = TRY(repository.reader().commit(recording.events.back().commit));
    if (TRY(repository.reader().commit(last))->depth < before->depth) return none;
  }
  const Answer answer = TRY(read_answer(repository, last));
  const bool is_text = answer.content.calls.empty() && !answer.content.text.empty();
  return is_text ? std::optional(last) : none;
}

}  // namespace

std::vector<Turn> calls_not_made(const std::vector<ToolCall>& calls, std::string_view why,
                                 std::string_view by) {
  std::vector<Turn> turns;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    turns.push_back(not_made(calls[i], static_cast<std::int64_t>(i + 1), why, by));
  }
  return turns;
}

Result<LeftOpen> left_open(const graph::Repository& repository, const compile::Oid& tip) {
  LeftOpen left;
  const auto run = TRY(run_of(repository, tip));
  if (!run) return left;
  const auto head = TRY(repository.reader().commit(run->head));
  const std::string by = TRY(compile::read_facts(head->meta)).get(fact::by);
  if (!is_in(kLeavesCalls, by)) return left;
  const Recording recording = TRY(read_recording(repository, run->id));
  if (!recording.ended_in_order) return left;
  std::set<std::int64_t> made;
  auto event = recording.events.rbegin();
  for (; event != recording.events.rend(); ++event) {
    if (event->kind == Recording::Event::Kind::answer) break;
    if (event->kind == Recording::Event::Kind::observation) made.insert(event->call);
  }
  left.answer = TRY(answer_cut_off(repository, recording));
  if (event == recording.events.rend()) return left;
  const Answer answer = TRY(read_answer(repository, event->commit));
  std::vector<Turn> all =
      calls_not_made(answer.content.calls, "not made: the person went on without it", "person");
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!made.contains(static_cast<std::int64_t>(i + 1))) left.results.push_back(std::move(all[i]));
  }
  return left;
}

}  // namespace spoor::agent::record
