#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/archive_import.h"
#include "cli/session.h"
#include "import/again.h"
#include "import/report.h"

namespace spoor::cli {

/// The loss report for people: what became of every record, and which branches
/// hold it. `branch` is where HEAD went; empty when it stayed. `workspace` may be null where no
/// branch does. `again`: what reading sessions again came to.
void print_import(Session& session, const Workspace* workspace, const import::LossReport& report,
                  const std::string& branch, const std::optional<import::Updated>& again);

/// `warning: file:line: …` for each place that was odd or could not be read.
void print_remarks(Output& err, const import::LossReport& report);

/// Names the lines that were read by older rules; nothing if there are none.
void print_older_rules(Output& err, const std::vector<std::string>& lines);

void print_import_json(Output& out, const import::LossReport& report,
                       const std::vector<ArchiveImport>& archives,
                       const std::vector<Error>& failures, const std::string& branch,
                       const std::vector<std::string>& older,
                       const std::optional<import::Updated>& again);

}  // namespace spoor::cli
