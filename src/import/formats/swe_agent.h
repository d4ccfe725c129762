#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads the trajectories of SWE-agent (`*.traj`): the history is the conversation. What becomes of
/// the rest: docs/importing.md. Source: github.com/SWE-agent/SWE-agent, docs/usage/trajectories.md.
class SweAgentImporter final : public Importer {
 public:
  std::string_view name() const override { return "swe-agent"; }
  std::string_view title() const override { return "SWE-agent"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
