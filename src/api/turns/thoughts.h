#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/json_writer.h"
#include "api/turns/history.h"
#include "api/turns/matches.h"

namespace spoor::api {

/// A reasoning turn, and its answer.
struct Thought {
  TurnView view;
  std::optional<TurnView> answer;  ///< nullopt: no answer followed, or only on other lines
  std::optional<TurnView> edit;    ///< the edit in force on the first line that has one
};

/// Visits the reasoning of a history, newest first, as walk() does. Sets the types of `query`; its
/// `text` may also occur in the edit. The visitor returns false to stop.
Result<void> walk_thoughts(const Workspace& workspace, HistoryQuery query,
                           const std::function<bool(const Thought&)>& visit);

/// Returns the reasoning for one turn, oldest first: for an answer, the reasoning before it; for a
/// reasoning turn, only itself. Returns Code::invalid for any other turn.
Result<std::vector<Thought>> thoughts_behind(const Workspace& workspace, const Oid& commit);

/// Writes `{hash, time, author, model, text, matches, answer, edit}` as the next value. `needle` is
/// the text searched for, or empty.
void write_thought(JsonWriter& json, const Thought& thought, std::string_view needle);

}  // namespace spoor::api
