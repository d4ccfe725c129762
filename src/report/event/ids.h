#pragma once

#include <cstdint>
#include <string>

#include "store/oid.h"

namespace spoor::report {

// Ids of OpenTelemetry (https://www.w3.org/TR/trace-context/, section 3.2.2): lower-case digits,
// never all zero. Each is the beginning of SHA-256 over its own prefix and its subject, so that the
// ids can be derived from the commits.

/// Returns the trace of a run or a history, by its root: 32 digits.
std::string trace_id_of(const store::Oid& root);

/// Returns the span of a run as a whole, by its root: 16 digits.
std::string run_span_id(const store::Oid& root);

/// Returns the span of a commit, a completion or an action that no answer asked for: 16 digits.
std::string span_id_of(const store::Oid& commit);

/// Returns the span of a call, by its answer and its number there, from 1: 16 digits. It is known
/// before the call is made, so that a run which the call begins can name it.
std::string call_span_id(const store::Oid& answer, std::int64_t call);

/// Returns a UUID of version 8 (RFC 9562), by the commit.
std::string event_id_of(const store::Oid& commit);

}  // namespace spoor::report
