#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads the chat histories of Grok CLI (`chat_history.jsonl`): the items of a conversation, one a
/// line. They have no times, and no name of their session.
///
/// Source: `ConversationItem` in crates/codegen/xai-grok-sampling-types/src/conversation.rs of Grok
/// Build, as its forks have it (github.com/farchanjo/grok-build).
class GrokImporter final : public Importer {
 public:
  std::string_view name() const override { return "grok"; }
  std::string_view title() const override { return "Grok CLI"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
