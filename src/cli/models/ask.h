#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/models/open_model.h"
#include "cli/session.h"
#include "llm/generate.h"
#include "llm/schema.h"

namespace spoor::cli {

/// How a model is asked.
struct Asking {
  llm::GenerateOptions options;       ///< on_event and stop are set here
  std::optional<llm::Schema> schema;  ///< the answer is a JSON value of it, and only that is shown
  bool as_json = false;               ///< one document instead of the text as it comes
};

/// Adds `text` as the user's turn and says what moved: for one whose model cannot be asked.
Result<void> keep_unasked(Session& session, std::string_view text);

/// Adds `text`, if given, as the user's turn, asks the model, shows what it answers while it comes,
/// and says what was made, what it took and what it cost. Ctrl-C ends the call and keeps what came,
/// marked interrupted: the exit status is 130 then. `models` has one at least; the others are asked
/// when the ones before came to nothing.
Result<void> ask(Session& session, std::span<OpenModel* const> models,
                 const std::optional<std::string>& text, Asking asking);

}  // namespace spoor::cli
