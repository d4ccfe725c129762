#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads any JSON document, or JSON Lines, that holds messages: objects that say who speaks
/// (`role`, `from`, `speaker`, `author`, `sender`, `type`) and what (`content`, `text`, `value`,
/// `message`, `parts`). Of a document the longest list of them counts, wherever it is; a list of
/// documents is read one by one. A speaker that nobody knows makes a note. For sources that no
/// other importer knows.
class GenericImporter final : public Importer {
 public:
  std::string_view name() const override { return "generic"; }
  std::string_view title() const override { return "JSON with roles and contents"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
