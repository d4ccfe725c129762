#pragma once

#include "trace/content.h"
#include "trace/event_json.h"

// The names that trace uses for a decision event and its parts.
namespace spoor::guard::check {

using trace::AgentAction;
using trace::Artifact;
using trace::CheckResult;
using trace::CheckStatus;
using trace::Constraint;
using trace::Content;
using trace::content_of;
using trace::DecisionEvent;
using trace::Evaluation;
using trace::EventKind;
using trace::EventRequest;
using trace::kUnknown;
using trace::Severity;
using trace::ToolResult;
using trace::Violation;

}  // namespace spoor::guard::check
