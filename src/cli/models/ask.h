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

/// Options of a call to a model.
struct Asking {
  llm::GenerateOptions options;       ///< on_event and stop are set here
  std::optional<llm::Schema> schema;  ///< the answer is a JSON value of this; only that is shown
  bool as_json = false;               ///< one document instead of the text as it comes
};

/// Adds `text` as the user's turn and prints the branch's move, for a turn whose model cannot be
/// called.
Result<void> keep_unasked(Session& session, std::string_view text);

/// Adds `text`, if given, as the user's turn, calls the model, shows the answer as it arrives, and
/// prints the new commits, tokens and cost. Ctrl-C ends the call and keeps the partial answer,
/// marked interrupted; the exit status is then 130. `models` has at least one element; each later
/// model is called only if those before it failed.
Result<void> ask(Session& session, std::span<OpenModel* const> models,
                 const std::optional<std::string>& text, Asking asking);

}  // namespace spoor::cli
