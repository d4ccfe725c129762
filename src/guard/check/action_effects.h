#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard/check/commands.h"
#include "guard/check/effects.h"
#include "guard/check/event.h"

namespace spoor::guard::check {

/// What an action does to the world, read out of the calls that were made and of what they made.
struct ActionEffects {
  std::vector<Change> changes;
  std::vector<Command> commands;
  std::vector<std::string> folders;  ///< that a call names for its commands
  std::vector<Host> hosts;           ///< that commands ask
  std::vector<RunFile> runs;         ///< scripts, and programs named by their paths
  std::vector<std::string> urls;     ///< that a tool asks
  std::string sql;                   ///< that a database is given
  bool is_whole = true;  ///< false: a text is not there, or could not be read to its end
  std::vector<std::string> unclear;        ///< what nobody can tell of it, in words
  std::size_t unread_calls = 0;            ///< whose arguments are not there, or could not be read
  std::vector<std::string> unknown_tools;  ///< called, and nobody knows what they do
};

/// Of an action: its calls with their arguments, and its artifacts. An action that was blocked, and
/// anything that is no action, did nothing. Tools are known by their names and by the members of
/// their arguments (docs/checks.md): ours, and those of other agents whose sessions are imported.
ActionEffects effects_of_action(const DecisionEvent& event);

/// Of one call that is about to be made.
ActionEffects effects_of_action(std::string_view tool, std::string_view arguments);

/// How an action went, by its exit code where there is one, else by what the tool said.
enum class Outcome { good, bad, unknown };

Outcome outcome_of(const DecisionEvent& event);

/// The action that a call would be: an event without ids, for checks that look before it runs.
DecisionEvent intended(std::string_view tool, std::string_view arguments);

/// The text of a content, where it is there to be read; null else.
const std::string* readable(const Content& content);

/// A content that says this.
Content full_content(std::string text);

}  // namespace spoor::guard::check
