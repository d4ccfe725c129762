#pragma once

#include <optional>
#include <string_view>

#include "audit/event/event.h"

// The words by which the values of an event are written and read.
namespace spoor::audit::check {

std::string_view word_of(CheckStatus status);
std::optional<CheckStatus> status_from(std::string_view name);

std::string_view word_of(Severity severity);
std::optional<Severity> severity_from(std::string_view name);

std::string_view word_of(Constraint::Type type);
std::optional<Constraint::Type> type_from(std::string_view name);

std::string_view word_of(AgentAction::Type type);
std::optional<AgentAction::Type> action_from(std::string_view name);

/// What a violation makes of a check: `fail` from medium on, `warn` below.
CheckStatus status_of(Severity worst);

/// The worse of two: fail, warn, unknown, pass.
CheckStatus worse(CheckStatus a, CheckStatus b);

}  // namespace spoor::audit::check
