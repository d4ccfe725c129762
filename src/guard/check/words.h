#pragma once

#include <optional>
#include <string_view>

#include "trace/event.h"
#include "trace/event_json.h"

// The words by which the values of an event are written (name_of, trace/event_json.h), read back.
namespace spoor::guard::check {

using trace::AgentAction;
using trace::CheckStatus;
using trace::Constraint;
using trace::Severity;

std::optional<CheckStatus> status_from(std::string_view name);
std::optional<Severity> severity_from(std::string_view name);
std::optional<Constraint::Type> type_from(std::string_view name);
std::optional<AgentAction::Type> action_from(std::string_view name);

/// What a violation makes of a check: `fail` from medium on, `warn` below.
CheckStatus status_of(Severity worst);

/// The worse of two: fail, warn, unknown, pass.
CheckStatus worse(CheckStatus a, CheckStatus b);

}  // namespace spoor::guard::check
