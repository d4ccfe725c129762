#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads the transcripts of Antigravity: the steps of a conversation, one a line.
///
/// No source of it is public: the steps are read as transcripts have them that others published
/// (github.com/jazzyalex/agent-sessions, AntigravityTranscriptParser.swift and its samples).
class AntigravityImporter final : public Importer {
 public:
  std::string_view name() const override { return "antigravity"; }
  std::string_view title() const override { return "Antigravity"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
