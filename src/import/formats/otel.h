#pragma once

#include "import/importer.h"

namespace spoor::import::formats {

/// Reads traces of models' calls: OTLP/JSON with the GenAI conventions of OpenTelemetry or with
/// OpenInference's, and what Jaeger, Tempo and SDKs export of them (llm/otel/span.h). The messages
/// that a span was given and its answer are a capture of a conversation; captures of one
/// conversation meet, so that a trace becomes its longest history. A span without messages goes on
/// in the conversation of its trace. Tools' spans give results their times. Each span is kept as a
/// note, byte for byte.
class OtelImporter final : public Importer {
 public:
  std::string_view name() const override { return "otel"; }
  std::string_view title() const override { return "OpenTelemetry"; }
  int score(const Head& head) const override;
  Result<LossReport> import(Source& source, graph::Repository& repository,
                            const ImportOptions& options) const override;
};

}  // namespace spoor::import::formats
