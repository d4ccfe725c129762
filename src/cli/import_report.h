#pragma once

#include <string>
#include <vector>

#include "cli/archive_import.h"
#include "cli/session.h"
#include "llm/import/report.h"

namespace spoor::cli {

/// The loss report for people: what became of every record, and which branches
/// hold it. `branch` is where HEAD went; empty when it stayed. `workspace` may be null where no
/// branch does.
void print_import(Session& session, const Workspace* workspace,
                  const llm::import::LossReport& report, const std::string& branch);

/// `warning: file:line: …` for each place that was odd or could not be read.
void print_remarks(Output& err, const llm::import::LossReport& report);

void print_import_json(Output& out, const llm::import::LossReport& report,
                       const std::vector<ArchiveImport>& archives,
                       const std::vector<Error>& failures, const std::string& branch);

}  // namespace spoor::cli
