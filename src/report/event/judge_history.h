#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "agent/runs.h"
#include "graph/repository.h"
#include "guard/check/checks.h"

namespace spoor::report {

using guard::check::Checks;
using store::Oid;
using trace::CheckResult;
using trace::DecisionEvent;

/// Lets checks look at a history that is there, event after event, and hands out each event that
/// one of them had something to say of, with what they said. Nothing is written, but for what a
/// model that judges is asked. `with_prompts`: events have their prompts, which programs may want
/// to see and which take their time. `run`: nothing for a history that no run wrote.
store::Result<void> judge_history(
    const graph::Repository& repository, const std::optional<agent::RunName>& run, const Oid& head,
    std::span<Checks> checks, bool with_prompts,
    const std::function<store::Result<void>(const DecisionEvent&, std::vector<CheckResult>)>& sink);

}  // namespace spoor::report
