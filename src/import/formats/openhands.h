#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads the events of OpenHands and of its agent SDK: a list of them, one a line, or rows of an
/// evaluation with a `history`.
/// Source: github.com/All-Hands-AI/OpenHands, openhands/events/serialization.
class OpenHandsImporter final : public Importer {
 public:
  std::string_view name() const override { return "openhands"; }
  std::string_view title() const override { return "OpenHands"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
