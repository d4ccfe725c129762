#pragma once

#include <memory>
#include <string_view>

#include "cli/session.h"

namespace spoor::cli {

/// Sends a person's turns to a model, and shows what comes of it. A port of the interactive
/// session.
class Speaker {
 public:
  virtual ~Speaker() = default;
  virtual Result<void> say(std::string_view text) = 0;
};

/// Runs the interactive session: `spoor` without a verb. At a terminal, a person types lines, which
/// run one after the other over one opened store. Any other standard input runs as a script,
/// without prompt, colour or pager. `globals` are the program's options, which apply to every line.
///
/// Session::status() is then 0 for a person, and for a script the status of the first line that
/// failed. `speaker` gets the turns; null: each is one request to the model of the settings.
void run_repl(Session& session, const Arguments& globals,
              std::unique_ptr<Speaker> speaker = nullptr);

}  // namespace spoor::cli
