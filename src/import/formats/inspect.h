#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads the logs of Inspect, in JSON or as the archive of JSON files that `.eval` is: each sample
/// is a line. The arguments of calls are kept byte for byte, so a log that was written anew with
/// other spaces is another one. Sources: inspect.aisi.org.uk/eval-logs.html, and for the archive
/// src/inspect_ai/log/_recorders/eval.py of UKGovernmentBEIS/inspect_ai.
class InspectImporter final : public Importer {
 public:
  std::string_view name() const override { return "inspect"; }
  std::string_view title() const override { return "Inspect"; }
  int score(const Head& head) const override;

  /// An archive is read whole, up to kMostDocument, and one of its files at a time unpacked.
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
