#pragma once

#include <functional>
#include <string>

#include "cli/call_matches.h"
#include "cli/history.h"

namespace spoor::cli {

/// A search as the command line and `spoor batch` ask for it.
struct TurnSearch {
  std::string text;       ///< not empty
  bool is_query = false;  ///< `text` is words, phrases and operators (compile/text_query.h)
  HistoryQuery where;     ///< which turns; its `text` and `commits` are set here
};

/// Visits the turns that say it, in their text or their calls, newest first as walk() does, with
/// what finds it in a text of theirs. The visitor returns false to stop.
/// Code::invalid for a query that cannot be read.
Result<void> find_turns(const Workspace& workspace, TurnSearch search,
                        const std::function<bool(const HistoryStep&, const Matcher&)>& visit);

/// `{hash, type, time, author, message, refs, matches, arguments}` as the next value.
void write_found(JsonWriter& json, const TurnView& view, const Matcher& matcher,
                 const std::vector<std::string>& refs);

}  // namespace spoor::cli
