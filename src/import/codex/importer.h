#pragma once

#include "import/importer.h"

namespace spoor::import::codex {

/// Reads the rollouts of OpenAI's Codex (`~/.codex/sessions/**/rollout-*.jsonl`), the first ones of
/// 2025 without envelopes too. What becomes of each record: docs/importing.md.
class CodexImporter final : public Importer {
 public:
  std::string_view name() const override { return "codex"; }
  std::string_view title() const override { return "Codex"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::codex
