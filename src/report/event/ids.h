#pragma once

#include <cstdint>
#include <string>

#include "store/oid.h"

namespace spoor::report {

// Ids of OpenTelemetry (https://www.w3.org/TR/trace-context/, section 3.2.2): lower-case digits,
// never all zero. Each is the beginning of SHA-256 over a word of its own and what it is of, so
// that whoever has the commits has the ids.

/// 32 digits: the trace of a run, or of a history, by its root.
std::string trace_id_of(const store::Oid& root);

/// 16 digits: the span of a run as a whole, by its root.
std::string run_span_id(const store::Oid& root);

/// 16 digits: the span of a commit: of a completion, or of what no answer asked for.
std::string span_id_of(const store::Oid& commit);

/// 16 digits: the span of a call, by the answer it stands in and its number there, from 1. It is
/// known before the call is made, so that what the call begins can name it.
std::string call_span_id(const store::Oid& answer, std::int64_t call);

/// A UUID of version 8 (RFC 9562), by the commit.
std::string event_id_of(const store::Oid& commit);

}  // namespace spoor::report
