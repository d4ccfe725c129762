#pragma once

#include <string>

#include "compile/turn.h"
#include "import/claude_code/record.h"
#include "import/report.h"

namespace spoor::import::claude_code {

/// Where the facts of a turn record go: the closed list of meta keys on every
/// commit of the record, the ones about the whole message on its last, and what
/// has no place there as one JSON object that is attached to the last.
struct RecordFacts {
  compile::Facts all;   ///< for each commit of the record
  compile::Facts last;  ///< for its last commit: `all`, and usage and finish_reason
  std::string rest;     ///< `{"toolUseResult":…}`, exact bytes of the source; or empty
};

/// Sorts a turn record's facts. `novel_result` is what its `toolUseResult` says
/// beyond the turn (tool_result.h). Values that are null, false or empty say
/// nothing and are passed over; pointers between records are the graph's.
RecordFacts sort_facts(const Record& record, const std::string& novel_result, LossReport& report);

}  // namespace spoor::import::claude_code
