#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads the trajectories of mini-SWE-agent (`*.traj.json`); a bare list of messages is the chat
/// importer's. Source: github.com/SWE-agent/mini-swe-agent, docs/usage/output_files.md.
class MiniSweAgentImporter final : public Importer {
 public:
  std::string_view name() const override { return "mini-swe-agent"; }
  std::string_view title() const override { return "mini-SWE-agent"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
