#pragma once

#include "cli/arguments.h"
#include "cli/session.h"

namespace spoor::cli::page {

/// Implements `export --page`: writes a session as one HTML file, which shows the views of `spoor
/// open` without a server, and all turns as plain text where scripts are off. The file loads
/// nothing. What was left out is printed to standard error, by reason. Returns Code::not_found
/// if nothing could be exported, and Code::denied for a session that is too long for one file.
Result<void> export_page(Session& session, const Arguments& arguments);

}  // namespace spoor::cli::page
