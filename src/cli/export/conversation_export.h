#pragma once

#include <array>

#include "cli/arguments.h"
#include "cli/session.h"

namespace spoor::cli {

/// The forms of `export` that export_conversations() implements.
inline constexpr std::array kConversationForms = {"--sft", "--sts", "--dpo", "--atif", "--inspect"};

/// The options that only they take.
inline constexpr std::array kConversationOptions = {
    "--to",    "--tree",    "--licence", "--coverage", "--redact",
    "--agent", "--project", "--model",   "--since",    "--json"};

/// Implements `export` in a form for training, viewers and evaluation: of the revisions on the
/// line, of all sessions that the filters choose, or of trees of attempts. All that was left out is
/// printed to standard error, by reason. Returns Code::not_found if nothing could be exported.
Result<void> export_conversations(Session& session, const Arguments& arguments);

}  // namespace spoor::cli
