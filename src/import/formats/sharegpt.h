#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads conversations of `from` and `value`: one, a list of them, or one a line. Source: the data
/// formats of github.com/hiyouga/LLaMA-Factory, data/README.md.
class ShareGptImporter final : public Importer {
 public:
  std::string_view name() const override { return "sharegpt"; }
  std::string_view title() const override { return "ShareGPT"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
