#pragma once

#include "import/importer.h"

namespace spoor::import::gemini_cli {

/// Reads the sessions of Gemini CLI (`~/.gemini/tmp/*/chats/*`): one document, or since 0.40 one
/// record a line. What becomes of each record: docs/importing.md.
class GeminiCliImporter final : public Importer {
 public:
  std::string_view name() const override { return "gemini-cli"; }
  std::string_view title() const override { return "Gemini CLI"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::gemini_cli
