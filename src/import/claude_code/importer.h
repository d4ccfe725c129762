#pragma once

#include "import/importer.h"

namespace spoor::import::claude_code {

/// Reads the JSONL session files of Claude Code (versions 1 and 2), subagents'
/// files too. What becomes of each record: docs/importing.md.
class ClaudeCodeImporter final : public Importer {
 public:
  std::string_view name() const override { return "claude-code"; }
  std::string_view title() const override { return "Claude Code"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::claude_code
