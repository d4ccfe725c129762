#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads histories of tau-bench: the results of a run, whose `traj` is a list of chat messages, and
/// few-shot rows, whose `messages_display` is a text with the role before each message. Such a text
/// holds no calls: an answer that only called a tool is `None` there, and an empty answer here.
///
/// Source: github.com/sierra-research/tau-bench, tau_bench/run.py and tau_bench/types.py
/// (EnvRunResult), few_shot_data.
class TauBenchImporter final : public Importer {
 public:
  std::string_view name() const override { return "tau-bench"; }
  std::string_view title() const override { return "tau-bench"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
