#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads the sessions of GitHub's Copilot CLI (`~/.copilot/session-state/*/events.jsonl`), and what
/// else is built on its SDK: one event a line, which names the one before. Source:
/// github.com/github/copilot-sdk, nodejs/src/generated/session-events.ts.
class CopilotImporter final : public Importer {
 public:
  std::string_view name() const override { return "copilot"; }
  std::string_view title() const override { return "GitHub Copilot CLI"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
