#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard/check/commands.h"
#include "guard/check/effects.h"
#include "guard/check/event.h"

namespace spoor::guard::check {

/// The effects of an action on the world, read from its calls and their artifacts.
struct ActionEffects {
  std::vector<Change> changes;
  std::vector<Command> commands;
  std::vector<std::string> folders;  ///< that a call sets for its commands
  std::vector<Host> hosts;           ///< that commands contact
  std::vector<RunFile> runs;         ///< scripts, and programs named by their paths
  std::vector<std::string> urls;     ///< that a tool requests
  std::string sql;                   ///< statements for a database
  bool is_whole = true;              ///< false: a text is absent, or could not be read to its end
  std::vector<std::string> unclear;  ///< the effects that cannot be known, in words
  std::size_t unread_calls = 0;      ///< whose arguments are absent or could not be read
  std::vector<std::string> unknown_tools;  ///< called, with unknown effects
};

/// Returns the effects of an action: of its calls with their arguments, and of its artifacts. A
/// blocked action, and an event that is not an action, has none. Tools are recognized by their
/// names and the members of their arguments (docs/checks.md): spoor's own, and those of other
/// agents whose sessions are imported.
ActionEffects effects_of_action(const DecisionEvent& event);

/// Returns the effects of one call that is about to be made.
ActionEffects effects_of_action(std::string_view tool, std::string_view arguments);

/// The outcome of an action, by its exit code if it has one, else by the tool's result.
enum class Outcome { good, bad, unknown };

Outcome outcome_of(const DecisionEvent& event);

/// Returns the action that a call would be: an event without ids, for checks before the call runs.
/// `artifact` is the fact of our own tools (action_type.h); empty if it is not known.
DecisionEvent intended(std::string_view tool, std::string_view arguments,
                       std::string_view artifact = {});

/// Returns the text of a content, or null if it cannot be read.
const std::string* readable(const Content& content);

Content full_content(std::string text);

}  // namespace spoor::guard::check
