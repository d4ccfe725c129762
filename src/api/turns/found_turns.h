#pragma once

#include <functional>
#include <string>

#include "api/turns/history.h"
#include "api/turns/matches.h"

namespace spoor::api {

/// A search, as the command line and `spoor batch` request it.
struct TurnSearch {
  std::string text;       ///< not empty
  bool is_query = false;  ///< `text` is words, phrases and operators (compile/text_query.h)
  HistoryQuery where;     ///< restricts the turns; its `text` and `by_time` are set here
};

/// Visits the turns whose text or calls match, newest first by their times, with a matcher for
/// their texts. The visitor returns false to stop. Returns Code::invalid for a query that cannot be
/// parsed.
Result<void> find_turns(const Workspace& workspace, TurnSearch search,
                        const std::function<bool(const TurnView&, const Matcher&)>& visit);

/// Writes `{hash, type, time, author, message, refs, matches, arguments}` as the next value.
void write_found(JsonWriter& json, const TurnView& view, const Matcher& matcher,
                 const std::vector<std::string>& refs);

}  // namespace spoor::api
