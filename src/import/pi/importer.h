#pragma once

#include "import/importer.h"

namespace spoor::import::pi {

/// Reads the sessions of the coding agent Pi (`~/.pi/agent/sessions/**/*.jsonl`), versions 1 to 3;
/// agents built on it write the same. What becomes of each record: docs/importing.md.
class PiImporter final : public Importer {
 public:
  std::string_view name() const override { return "pi"; }
  std::string_view title() const override { return "Pi"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::pi
