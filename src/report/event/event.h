#pragma once

#include "trace/content.h"
#include "trace/event_json.h"

// The names that trace uses for a decision event and its parts.
namespace spoor::report {

using trace::AgentAction;
using trace::Artifact;
using trace::BundleMessage;
using trace::CheckResult;
using trace::CheckStatus;
using trace::Content;
using trace::content_of;
using trace::DecisionEvent;
using trace::erased_content;
using trace::Evaluation;
using trace::EventKind;
using trace::EventRequest;
using trace::EventSession;
using trace::is_known;
using trace::kUnknown;
using trace::ModelOutput;
using trace::PromptBundle;
using trace::PromptProvenance;
using trace::RequestedCall;
using trace::Severity;
using trace::stricter;
using trace::ToolDeclaration;
using trace::ToolResult;
using trace::Transformation;
using trace::unknown_content;
using trace::valid_utf8;
using trace::Violation;

}  // namespace spoor::report
