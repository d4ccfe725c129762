#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/json_writer.h"
#include "cli/history.h"
#include "cli/match_lines.h"

namespace spoor::cli {

/// A reasoning, and the answer it led to.
struct Thought {
  TurnView view;
  std::optional<TurnView> answer;  ///< nothing: none came, or on no line that was asked for
  std::optional<TurnView> edit;    ///< the edit in force on the first line that has one
};

/// Visits the reasoning of a history, newest first, as walk() does; of `query` the types
/// are set here, and `text` may also stand in the edit. The visitor returns false to stop.
Result<void> walk_thoughts(const Workspace& workspace, HistoryQuery query,
                           const std::function<bool(const Thought&)>& visit);

/// The thinking behind one turn, oldest first: of an answer what came before it, of a
/// reasoning itself alone. Code::invalid for any other turn.
Result<std::vector<Thought>> thoughts_behind(const Workspace& workspace, const Oid& commit);

/// `{hash, time, author, model, text, matches, answer, edit}` as the next value; `needle` is
/// what was searched for, or empty.
void write_thought(JsonWriter& json, const Thought& thought, std::string_view needle);

}  // namespace spoor::cli
