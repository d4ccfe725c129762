#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/numbers.h"
#include "cli/error.h"
#include "compile/byte_size.h"
#include "store/timestamp.h"
#include "store/when.h"

namespace spoor::cli {

/// "2 hours ago", "in 3 days", "just now": for people at a terminal.
std::string relative_time(store::Timestamp time, store::Timestamp now);

/// RFC 3339 in UTC, to the second: `2026-11-21T20:13:24Z`.
std::string plain_time(store::Timestamp time);

/// Times as people write them.
using store::parse_when;

using agent::counted;
using agent::grouped;

using compile::byte_size;

}  // namespace spoor::cli
