#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads the wire logs of Kimi Code: what happens to an agent's context, one record a line. And the
/// contexts of Kimi CLI, its forerunner (kimi_context.h).
///
/// Sources: github.com/MoonshotAI/kimi-code, packages/agent-core/src/agent/context/index.ts (how
/// the context is made of a log) and apps/vis/server/src/lib/agent-record-types.ts (the records).
class KimiImporter final : public Importer {
 public:
  std::string_view name() const override { return "kimi"; }
  std::string_view title() const override { return "Kimi Code"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
