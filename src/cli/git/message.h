#pragma once

#include <string>

#include "cli/error.h"
#include "cli/git/object.h"
#include "cli/turn_view.h"
#include "store/tag.h"

namespace spoor::cli::git {

/// What git says of a commit: a line of at most 72 characters as `spoor log` has it, and
/// trailers (git-interpret-trailers(1)) with its spoor name, type, model and so on.
/// UTF-8 without control characters, each trailer on one line, whatever the turn holds.
Result<std::string> message_of(const store::Reader& reader, const TurnView& turn);

/// Who a turn is by: its author, else the model that made it, else its type.
Signature signature_of(const TurnView& turn, std::int64_t seconds);

/// What git says of a tag. `note` as it is, but for what is no UTF-8 or NUL.
std::string message_of(const store::Tag& tag, std::string_view note);

}  // namespace spoor::cli::git
