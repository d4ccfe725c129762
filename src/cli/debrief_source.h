#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/runs.h"
#include "api/json_writer.h"
#include "cli/session.h"
#include "report/debrief/debrief.h"

namespace spoor::cli {

using api::JsonWriter;
using store::Oid;

/// A run, or any history of calls, that a word on the command line names.
struct DebriefSubject {
  std::optional<agent::RunName> run;  ///< nullopt: a history that no run wrote
  Oid head;
};

/// Resolves `latest` (HEAD without any run), a prefix of a run's id, or a revision; a revision in a
/// run names that run. Returns Code::not_found with a hint that lists the choices.
Result<DebriefSubject> find_subject(const Workspace& workspace, const std::string& word);

/// Reads the debrief of `subject`; its lists keep `most` elements each.
Result<report::debrief::Debrief> read_debrief(Session& session, Workspace& workspace,
                                              const DebriefSubject& subject, std::size_t most);

/// Reads a trace from a file, or from standard input for `-`.
Result<report::debrief::Debrief> read_trace(Session& session, const std::string& path,
                                            std::size_t most);

/// Writes JSON text as the next value, in the writer's layout.
void write_value(JsonWriter& json, std::string_view text);

}  // namespace spoor::cli
