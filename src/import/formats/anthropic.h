#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads conversations as the Messages API has them, alone or in a request, and the sessions that
/// Cline keeps in this form. Source: docs.anthropic.com/en/api/messages.
class AnthropicImporter final : public Importer {
 public:
  std::string_view name() const override { return "anthropic-messages"; }
  std::string_view title() const override { return "Anthropic messages"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
