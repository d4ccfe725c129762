#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads sessions of Hermes Agent: the log of one (`~/.hermes/sessions/session_*.json`), or a
/// gateway's transcript, a message a line behind one of the role `session_meta`.
///
/// Source: github.com/NousResearch/hermes-agent, run_agent.py (`_save_session_log`),
/// agent/codex_responses_adapter.py (`codex_reasoning_items`), gateway/run.py (`session_meta`).
class HermesImporter final : public Importer {
 public:
  std::string_view name() const override { return "hermes"; }
  std::string_view title() const override { return "Hermes Agent"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
