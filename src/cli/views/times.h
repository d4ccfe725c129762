#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/numbers.h"
#include "base/byte_size.h"
#include "base/timestamp.h"
#include "base/when.h"
#include "cli/error.h"

namespace spoor::cli {

/// Returns "2 hours ago", "in 3 days" or "just now", for people at a terminal.
std::string relative_time(Timestamp time, Timestamp now);

/// Returns RFC 3339 in UTC, to the second: `2026-11-21T20:13:24Z`.
std::string plain_time(Timestamp time);

/// Times as people write them.

using agent::counted;
using agent::grouped;

}  // namespace spoor::cli
