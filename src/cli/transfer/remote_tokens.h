#pragma once

#include <string>

#include "cli/session.h"

namespace spoor::cli {

/// Returns the token that this user has for the store at a URL: the variable SPOOR_TOKEN, else that
/// of keep_remote_token(). Empty without one; it is never printed or stored. Code::denied if others
/// may read its file.
Result<std::string> remote_token(const Session& session, const std::string& url);

/// Keeps the token for a URL in a file of its own (0600) in the folder `tokens` of spoor's
/// configuration, and returns the path. Code::invalid for a text that cannot be a token.
Result<std::string> keep_remote_token(const Session& session, const std::string& url,
                                      const std::string& token);

}  // namespace spoor::cli
