#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "cli/transfer/archive_import.h"
#include "import/again.h"
#include "import/report.h"
#include "proxy/raw_bodies.h"

namespace spoor::cli {

/// Results and options of an import for its report.
struct ImportSummary {
  const std::string& branch;                    ///< HEAD's new branch; empty: HEAD stayed
  const std::optional<import::Updated>& again;  ///< the result of reading sessions again
  bool is_verbose = false;                      ///< count kinds of records, and name each branch
};

/// Prints the sessions read and the new turns. `workspace` may be null if no branch was made.
void print_import(Session& session, const Workspace* workspace, const import::LossReport& report,
                  const ImportSummary& summary);

/// Prints `warning: file:line: …` for each place that was odd or could not be read.
void print_remarks(Output& err, const import::LossReport& report);

/// Prints the names of the lines that were read by older rules; prints nothing if there are none.
void print_older_rules(Output& err, const std::vector<std::string>& lines);

void print_import_json(Output& out, const import::LossReport& report,
                       const std::vector<ArchiveImport>& archives,
                       const std::vector<Error>& failures, const std::string& branch,
                       const std::vector<std::string>& older,
                       const std::optional<import::Updated>& again,
                       const std::optional<proxy::RawBodies>& bodies);

}  // namespace spoor::cli
