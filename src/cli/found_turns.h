#pragma once

#include <functional>
#include <string>

#include "cli/history.h"
#include "cli/match_lines.h"

namespace spoor::cli {

/// A search as the command line and `spoor batch` ask for it.
struct TurnSearch {
  std::string text;       ///< not empty
  bool is_query = false;  ///< `text` is words, phrases and operators (compile/text_query.h)
  HistoryQuery where;     ///< which turns; its `text` and `contents` are set here
};

/// Visits the turns that hold the text, newest first as walk() does, with where in
/// their text they do. The visitor returns false to stop.
/// Code::invalid for a query that cannot be read.
Result<void> find_turns(
    const Workspace& workspace, TurnSearch search,
    const std::function<bool(const HistoryStep&, const std::vector<Match>&)>& visit);

/// `{hash, type, time, author, message, refs, matches}` as the next value.
void write_found(JsonWriter& json, const TurnView& view, const std::vector<Match>& matches,
                 const std::vector<std::string>& refs);

}  // namespace spoor::cli
