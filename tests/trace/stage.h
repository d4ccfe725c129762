#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/ports.h"
#include "trace/deriver.h"
#include "trace/totals.h"

namespace spoor::testing {

/// A branch in a store that forgets, and the steps derived from it.
struct TraceStage {
  TraceStage()
      : repository(graph::Repository::in_memory(
            {.author = "ada", .clock = std::make_shared<ManualClock>()})),
        branch(repository->branch("main")) {}

  store::Oid commit(const compile::Turn& turn) { return branch.commit(turn).value(); }

  store::Oid user(const std::string& text) {
    return commit({.type = store::Type::user, .text = text});
  }

  store::Oid answer(const std::string& text, const std::vector<compile::ToolCall>& calls = {},
                    const std::string& message_id = "", const std::string& usage = "") {
    compile::Turn turn{.type = store::Type::assistant, .text = text};
    if (!calls.empty()) turn.fields.tool_calls = calls;
    if (!message_id.empty()) turn.facts.set_text("message_id", message_id);
    if (!usage.empty()) turn.facts.set_json("usage", usage);
    return commit(turn);
  }

  store::Oid result(const std::string& id, const std::string& text = "ok", bool is_error = false) {
    compile::Turn turn{.type = store::Type::tool, .text = text};
    turn.fields.call_id = id;
    turn.fields.is_error = is_error;
    return commit(turn);
  }

  std::vector<trace::Step> steps() {
    std::vector<trace::Step> all;
    const auto keep = [&](const trace::Step& step) -> Result<void> {
      all.push_back(step);
      return {};
    };
    trace::derive(*repository, {}, branch.tip().value().value(), keep).value();
    return all;
  }

  template <class T>
  std::vector<T> all() {
    std::vector<T> found;
    for (const trace::Step& step : steps()) {
      if (const auto* what = std::get_if<T>(&step.what)) found.push_back(*what);
    }
    return found;
  }

  trace::Totals totals() {
    return trace::totals_of(*repository, {branch.tip().value().value()}, nullptr).value();
  }

  std::unique_ptr<graph::Repository> repository;
  graph::Branch branch;
};

}  // namespace spoor::testing
