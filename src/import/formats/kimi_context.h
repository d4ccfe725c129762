#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Is this the beginning of a `context.jsonl` of Kimi CLI, the forerunner of Kimi Code: chat
/// messages one a line, with records of its own between them?
bool is_kimi_context(const Head& head);

/// Imports such a file for the importer `tool`. Source: github.com/MoonshotAI/kimi-cli,
/// src/kimi_cli/soul/context.py.
Result<LossReport> import_kimi_context(std::string_view tool, Source& source,
                                       graph::Repository& repository, const ImportOptions& options);

}  // namespace spoor::import::formats
