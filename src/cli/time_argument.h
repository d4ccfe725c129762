#pragma once

#include <optional>

#include "base/when.h"
#include "cli/session.h"

namespace spoor::cli {

/// Returns the time that an option names (when.h), or nullopt if the option is absent. Returns a
/// usage error for text that is not a time.
Result<std::optional<Timestamp>> time_argument(Session& session, const Arguments& arguments,
                                               std::string_view option);

}  // namespace spoor::cli
