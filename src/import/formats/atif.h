#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads trajectories of the Agent Trajectory Interchange Format: one document.
/// Source: github.com/laude-institute/harbor, docs/rfcs/0001-trajectory-format.md.
class AtifImporter final : public Importer {
 public:
  std::string_view name() const override { return "atif"; }
  std::string_view title() const override { return "ATIF"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
