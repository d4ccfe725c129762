#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agent/call_facts.h"
#include "agent/registry.h"
#include "base/json/writer.h"
#include "graph/repository.h"

namespace spoor::testing {

/// A run in a repository, written turn by turn in the shape of docs/agents.md ("What a run leaves
/// in the graph"), without an agent that would have to do it. Throws where it cannot be written.
class RecordedRun {
 public:
  using Oid = store::Oid;
  /// Facts as JSON: `{{"step", "1"}, {"tool", "\"grep\""}}`.
  using Facts = std::vector<std::pair<std::string, std::string>>;

  RecordedRun(graph::Repository& repository, std::string branch, std::string goal,
              std::string planner = "react")
      : repository_(repository), ref_(store::branch_ref(branch)) {
    compile::Turn root{.type = store::Type::decision, .text = goal};
    root.facts.set_text("decision", "run-started");
    root.facts.set_text("planner", planner);
    root.facts.set_text("principal", "ada");
    root.facts.set_text("session", branch);
    root.attach.push_back({R"({"max_steps":10})"});
    root_ = append(std::move(root));
    id_ = root_.hex(16);
    move_head(root_);
    compile::Turn system{.type = store::Type::system, .text = "You are an agent."};
    system.fields.name = "agent";
    write(std::move(system));
    user("goal", goal);
  }

  const std::string& id() const { return id_; }
  const Oid& root() const { return root_; }
  const Oid& head() const { return head_; }
  void at_step(std::int64_t step) { step_ = step; }

  /// From here on as runs were written whose meta said less of calls and results.
  void write_as_before() { is_as_before_ = true; }

  /// An answer with native calls; `reasons` is `{"1":{"why":…}}`, or empty.
  Oid calls(std::vector<compile::ToolCall> calls, const std::string& reasons = "",
            Facts facts = {}) {
    compile::Turn turn{.type = store::Type::assistant, .text = "Let me see."};
    turn.fields.tool_calls = std::move(calls);
    turn.fields.rationale = reasons;
    return answer(std::move(turn), std::move(facts));
  }

  /// An answer in text, of which `action` is the tool; empty: none.
  Oid says(const std::string& text, const std::string& action, const std::string& reasons = "",
           Facts facts = {}) {
    compile::Turn turn{.type = store::Type::assistant, .text = text};
    turn.fields.rationale = reasons;
    if (!action.empty()) turn.facts.set_text("action", action);
    return answer(std::move(turn), std::move(facts));
  }

  /// The result of a native call.
  Oid result(const std::string& call_id, std::int64_t call, const std::string& tool,
             const std::string& text, bool is_error = false, Facts facts = {}) {
    compile::Turn turn{.type = store::Type::tool, .text = text};
    turn.fields.call_id = call_id;
    turn.fields.name = tool;
    turn.fields.is_error = is_error;
    turn.facts.set_integer("call", call);
    if (!is_as_before_) {
      if (agent::is_tool_id(tool)) turn.facts.set_text("tool", tool);
      turn.facts.set_text("outcome", is_error ? "error" : "ok");
    }
    return write(with(std::move(turn), facts));
  }

  /// The result of a call that was made in text, or of a step of a plan.
  Oid observation(std::int64_t call, const std::string& tool, const std::string& text,
                  bool is_error = false, Facts facts = {}) {
    compile::Turn turn{.type = store::Type::user,
                       .text = "[obs:" + std::to_string(++observations_) + " " + tool + "]" +
                               (is_error ? " error: " : "\n") + text};
    turn.facts.set_text("mark", "observation");
    turn.facts.set_text("tool", tool);
    if (is_error) turn.facts.set_json("is_error", "true");
    turn.facts.set_integer("call", call);
    return write(with(std::move(turn), facts));
  }

  /// A turn of the user's with its mark.
  Oid user(const std::string& mark, const std::string& text) {
    compile::Turn turn{.type = store::Type::user, .text = text};
    turn.facts.set_text("mark", mark);
    return write(std::move(turn));
  }

  Oid decision(const std::string& word, const std::string& text, const std::string& rationale = "",
               Facts facts = {}) {
    compile::Turn turn{.type = store::Type::decision, .text = text};
    turn.facts.set_text("decision", word);
    turn.fields.rationale = rationale;
    return write(with(std::move(turn), facts));
  }

  Oid end(const std::string& stopped, const std::string& by, const std::string& answer,
          Facts facts = {}) {
    facts.push_back({"stopped", json::write_string(stopped)});
    facts.push_back({"by", json::write_string(by)});
    return decision("run-ended", answer, "", std::move(facts));
  }

  /// A turn on the critic's own chain.
  Oid critic(const std::string& text, Facts facts) {
    compile::Turn turn{.type = store::Type::assistant, .text = text};
    turn.facts.set_text("purpose", "critic");
    turn.facts.set_text("run", id_);
    return commit(with(std::move(turn), facts), "refs/runs/" + id_ + "/critic");
  }

  /// A turn of somebody else on the branch.
  Oid stranger(const std::string& text) {
    const Oid made = append({.type = store::Type::user, .text = text});
    move_head(made);
    return made;
  }

 private:
  static compile::Turn with(compile::Turn turn, const Facts& facts) {
    for (const auto& [key, value] : facts) turn.facts.set_json(key, value);
    return turn;
  }

  Oid answer(compile::Turn turn, Facts facts) {
    if (turn.facts.text("purpose").empty()) turn.facts.set_text("purpose", "agent");
    turn.facts.set_text("provider", "scripted");
    turn.facts.set_text("model", "m-1");
    if (!is_as_before_) {
      agent::set_call_facts(turn.facts,
                            turn.fields.tool_calls.value_or(std::vector<compile::ToolCall>{}),
                            agent::read_rationales(turn.fields.rationale));
    }
    return write(with(std::move(turn), facts));
  }

  Oid write(compile::Turn turn) {
    turn.facts.set_text("run", id_);
    if (step_ > 0) turn.facts.set_integer("step", step_);
    const Oid made = append(std::move(turn));
    move_head(made);
    return made;
  }

  Oid append(compile::Turn turn) { return commit(std::move(turn), ref_); }

  Oid commit(compile::Turn turn, const std::string& ref) {
    turn = graph::stamped(std::move(turn), repository_.author(), repository_.clock().now());
    Oid made;
    must(repository_.transact("run", graph::OnConflict::fail,
                              [&](graph::Draft& draft) -> Result<void> {
                                made = TRY(draft.append(ref, turn));
                                return {};
                              }));
    return made;
  }

  void move_head(const Oid& to) {
    head_ = to;
    must(repository_.transact("run", graph::OnConflict::fail, [&](graph::Draft& draft) {
      return draft.move("refs/runs/" + id_ + "/head", to);
    }));
  }

  template <class T>
  static void must(const Result<T>& result) {
    if (!result) throw std::runtime_error(result.error().message);
  }

  graph::Repository& repository_;
  std::string ref_;
  std::string id_;
  Oid root_, head_;
  std::int64_t step_ = 0;
  std::uint64_t observations_ = 0;
  bool is_as_before_ = false;
};

}  // namespace spoor::testing
