#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Returns true if `head` is the beginning of a `context.jsonl` of Kimi CLI, the predecessor of
/// Kimi Code: chat messages, one per line, with records of its own between them.
bool is_kimi_context(const Head& head);

/// Imports such a file for the importer `tool`.
///
/// Source: github.com/MoonshotAI/kimi-cli, src/kimi_cli/soul/context.py.
Result<LossReport> import_kimi_context(std::string_view tool, Source& source,
                                       graph::Repository& repository, const ImportOptions& options);

}  // namespace spoor::import::formats
