#pragma once

#include <optional>

#include "base/when.h"
#include "cli/session.h"

namespace spoor::cli {

/// The time that an option names (when.h); nothing where it is not given. What is no time is a
/// usage error.
Result<std::optional<Timestamp>> time_argument(Session& session, const Arguments& arguments,
                                               std::string_view option);

}  // namespace spoor::cli
