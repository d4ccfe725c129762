#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads the sessions of Qwen Code (`~/.qwen/projects/*/chats/*.jsonl`): one record a line, which
/// names its parent and holds a content of Gemini's API. Source: github.com/QwenLM/qwen-code,
/// packages/core/src/services/chatRecordingService.ts.
class QwenCodeImporter final : public Importer {
 public:
  std::string_view name() const override { return "qwen-code"; }
  std::string_view title() const override { return "Qwen Code"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
