#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads what Factory's Droid writes: stored sessions (`~/.factory/sessions/**/*.jsonl`), whose
/// messages name their parents, and the output of `droid exec --output-format stream-json`. Its
/// recorder is not public. Sources: docs.factory.ai/cli/droid-exec; the reader of
/// github.com/jazzyalex/agent-sessions, AgentSessions/Services/DroidSessionParser.swift.
class DroidImporter final : public Importer {
 public:
  std::string_view name() const override { return "droid"; }
  std::string_view title() const override { return "Droid"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
