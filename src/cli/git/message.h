#pragma once

#include <string>

#include "api/turns/turn_view.h"
#include "cli/error.h"
#include "cli/git/object.h"
#include "store/tag.h"

namespace spoor::cli::git {

using api::TurnView;

/// Returns the git message of a commit: a line of at most 72 characters, as in `spoor log`, and
/// trailers (git-interpret-trailers(1)) with its spoor name, type, model and so on. The message is
/// UTF-8 without control characters, each trailer on one line, for any turn.
Result<std::string> message_of(const store::Reader& reader, const TurnView& turn);

/// Returns a turn's signature: its author, else the model that made it, else its type.
Signature signature_of(const TurnView& turn, std::int64_t seconds);

/// Returns the git message of a tag: `note` as visible() returns it (the tag's name if it is
/// empty), and a trailer with the tagged commit.
std::string message_of(const store::Tag& tag, std::string_view note);

}  // namespace spoor::cli::git
