#pragma once

#include "cli/arguments.h"
#include "cli/session.h"

namespace spoor::cli {

/// `export --otlp FILE`, `--post URL` and `--prov FILE`: a run, or any history, for programs that
/// know traces or provenance. Any of them together. `-` is standard output.
Result<void> export_trace(Session& session, const Arguments& arguments);

}  // namespace spoor::cli
