#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads the chat histories that Aider appends to (`.aider.chat.history.md`): a text of what was
/// said, of which every byte comes back. Each start of Aider is a line of its own. What the user
/// typed is a user turn, what the model answered an assistant turn; what Aider printed is a note in
/// its place, one for each time that it printed: no call was made, and a prompt does not have it.
///
/// A turn whose text does not give its part of the file back has that part as its `raw` item. What
/// is open at the end of a last line without an end is cut off: reported, and not imported.
///
/// Source: github.com/Aider-AI/aider, aider/io.py (`user_input`, `ai_output`, `tool_output`,
/// `append_chat_history`), aider/utils.py (`split_chat_history_markdown`), aider/coders/
/// base_coder.py (announcements, `calculate_and_show_tokens_and_cost`), aider/reasoning_tags.py.
class AiderImporter final : public Importer {
 public:
  std::string_view name() const override { return "aider"; }
  std::string_view title() const override { return "Aider"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
