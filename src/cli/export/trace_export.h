#pragma once

#include "cli/arguments.h"
#include "cli/session.h"

namespace spoor::cli {

/// Implements `export --otlp FILE`, `--post URL` and `--prov FILE`, in any combination: exports a
/// run, or any history, for programs that read traces or provenance. `-` is standard output.
Result<void> export_trace(Session& session, const Arguments& arguments);

}  // namespace spoor::cli
