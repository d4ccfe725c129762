#pragma once

#include "cli/arguments.h"
#include "cli/session.h"

namespace spoor::cli {

/// Implements `export --source DIRECTORY`: writes the files that sessions were imported from, byte
/// for byte, for the revisions on the line, else for all sessions that the filters choose. Existing
/// files are never replaced. Returns Code::not_found if no file was kept, Code::conflict if a file
/// exists with other bytes.
Result<void> export_source(Session& session, const Arguments& arguments);

}  // namespace spoor::cli
