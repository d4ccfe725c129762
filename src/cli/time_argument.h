#pragma once

#include <optional>

#include "cli/session.h"
#include "store/when.h"

namespace spoor::cli {

/// The time that an option names (when.h); nothing where it is not given. What is no time is a
/// usage error.
Result<std::optional<store::Timestamp>> time_argument(Session& session, const Arguments& arguments,
                                                      std::string_view option);

}  // namespace spoor::cli
