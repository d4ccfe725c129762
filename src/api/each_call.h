#pragma once

#include <functional>
#include <memory>

#include <re2/re2.h>

#include "api/session.h"
#include "trace/step.h"

namespace spoor::api {

/// The sessions that a command reads. All parts must match; an empty part matches every session.
struct SessionFilter {
  std::vector<std::string> sessions;  ///< words for find_session(); empty: all sessions
  std::optional<Timestamp> since;
  std::string project, agent;
};

/// Returns the matching sessions, the one that started last first.
Result<std::vector<Session>> find_sessions(const Context& context, const SessionFilter& filter);

/// Calls `visit` for each tool call of a session with its result, in order: sub-agents and forks
/// after the main line. Calls that lines share are visited once, calls of an earlier session not at
/// all. `request` is the user's turn that led to the call, if there is one.
using VisitCall = std::function<Result<void>(const trace::Call& call,
                                             const std::optional<store::NamedCommit>& request)>;
Result<void> each_call(const Context& context, const Session& session, const VisitCall& visit);

/// Returns the beginning of what a call is about, for lists: at most 1,000 columns.
std::string shown_target(std::string_view tool, std::string_view arguments);

/// Returns the milliseconds that a call took: as measured, else from the answer that asks for it to
/// the result. Returns nullopt if a time is missing.
std::optional<std::int64_t> duration_of(const trace::Call& call);

/// Returns the milliseconds from a message's first time to its last. Returns nullopt if one is
/// missing, or if they are in another order.
std::optional<std::int64_t> duration_of(const trace::Message& message);

/// Returns a regular expression (RE2), or Code::invalid if it is not one.
Result<std::unique_ptr<RE2>> read_expression(const std::string& text);

}  // namespace spoor::api
