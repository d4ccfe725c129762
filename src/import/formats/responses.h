#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads items of the Responses API: a list of them, a request with `input`, a response with
/// `output`, or both. Source: platform.openai.com/docs/api-reference/responses.
class ResponsesImporter final : public Importer {
 public:
  std::string_view name() const override { return "openai-responses"; }
  std::string_view title() const override { return "OpenAI Responses"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
