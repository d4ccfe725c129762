#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads conversations as the chat API has them: a list of messages, an object with `messages`, a
/// logged request with its response; one document, or one a line.
/// Source: platform.openai.com/docs/api-reference/chat.
class ChatImporter final : public Importer {
 public:
  std::string_view name() const override { return "openai-chat"; }
  std::string_view title() const override { return "OpenAI chat"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
