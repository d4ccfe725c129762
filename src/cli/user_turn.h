#pragma once

#include <string_view>

#include "cli/session.h"

namespace spoor::cli {

/// Adds a user's turn that says `text`, byte for byte, where `spoor user` would, and
/// says what moved.
Result<void> say_user_turn(Session& session, std::string_view text);

}  // namespace spoor::cli
