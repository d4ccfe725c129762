#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads the transcripts of Cursor's agent (`~/.cursor/projects/*/agent-transcripts/**/*.jsonl`):
/// one message a line, without names, times and as a rule without results. The program is not
/// public. Source: the reader of github.com/jazzyalex/agent-sessions,
/// AgentSessions/Services/CursorSessionParser.swift.
class CursorImporter final : public Importer {
 public:
  std::string_view name() const override { return "cursor"; }
  std::string_view title() const override { return "Cursor"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
