#pragma once

#include "import/importer.h"

namespace spoor::import::opencode {

/// Reads what `opencode export` writes: one document a session. What becomes of each part:
/// docs/importing.md.
class OpenCodeImporter final : public Importer {
 public:
  std::string_view name() const override { return "opencode"; }
  std::string_view title() const override { return "OpenCode"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::opencode
