#pragma once

#include "llm/import/importer.h"

namespace spoor::llm::import::formats {

/// Reads the JSON logs of Inspect: each sample is a line. Source:
/// inspect.aisi.org.uk/eval-logs.html.
class InspectImporter final : public Importer {
 public:
  std::string_view name() const override { return "inspect"; }
  std::string_view title() const override { return "Inspect"; }
  bool recognises(std::string_view head) const override;
  Result<LossReport> import(Source& source, compile::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::llm::import::formats
