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

/// What a word on the command line means that names a run, or any history of calls.
struct DebriefSubject {
  std::optional<agent::RunName> run;  ///< nothing: a history that no run wrote
  Oid head;
};

/// `latest` (where there is no run, HEAD), a prefix of a run's id, or a revision; one within a run
/// stands for the run.
/// Code::not_found with a hint at what there is.
Result<DebriefSubject> find_subject(const Workspace& workspace, const std::string& word);

/// Reads what it means; its lists keep `most` elements each.
Result<report::debrief::Debrief> read_debrief(Session& session, Workspace& workspace,
                                              const DebriefSubject& subject, std::size_t most);

/// Reads a trace out of a file, or out of standard input for `-`.
Result<report::debrief::Debrief> read_trace(Session& session, const std::string& path,
                                            std::size_t most);

/// JSON text as the next value: the same value, laid out as the writer does it.
void write_value(JsonWriter& json, std::string_view text);

}  // namespace spoor::cli
