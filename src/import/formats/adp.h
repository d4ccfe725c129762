#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads standardized trajectories of the Agent Data Protocol: one a line, or a list of them, each
/// with a `content` of actions and observations that name their class.
///
/// Source: github.com/neulab/agent-data-protocol, schema/SCHEMA.md, schema/trajectory.py.
class AdpImporter final : public Importer {
 public:
  std::string_view name() const override { return "adp"; }
  std::string_view title() const override { return "Agent Data Protocol"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
