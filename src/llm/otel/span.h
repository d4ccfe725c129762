#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "base/timestamp.h"
#include "llm/otel/dialect.h"

namespace spoor::llm::otel {

/// Attributes by their names; of OTLP the values are without `stringValue` and its like.
using AttributeValues = std::map<std::string, json::Value>;

struct SpanEvent {
  std::string name;
  AttributeValues attributes;
};

/// A span, as a document holds it. Its values live as long as the document.
struct Span {
  json::Value record;  ///< all of it
  std::string name;
  std::string trace;  ///< id; of a form that the exporter chose
  std::optional<Timestamp> start;
  std::optional<Timestamp> end;
  AttributeValues attributes;
  std::vector<SpanEvent> events;

  /// The attribute of this meaning, as a text: a string's text, a number's digits, of a list its
  /// first element. Empty if there is none.
  std::string text(Meaning meaning) const;

  /// The same, as a value; missing if there is none.
  json::Value find(Meaning meaning) const;

  /// The list of messages that the span's attributes or events spread, as JSON text; empty if there
  /// is none.
  std::string spread(Meaning meaning) const;

  /// Milliseconds from start to end; nullopt if either is not known.
  std::optional<std::int64_t> duration_ms() const;

  /// True if the span says that it ended with an error.
  bool has_failed() const;
};

/// True if a document, or its front, holds spans in a form that for_each_span() reads.
bool holds_spans(const json::Value& root);

/// Visits each span of a document: OTLP/JSON (`resourceSpans`, one document or one a line; Tempo's
/// `batches`), Jaeger's JSON (`data` of traces), and what SDKs write (`spans`, or a list of spans
/// with `context` or `spanContext`). Stops at the first error.
///
/// Sources: github.com/open-telemetry/opentelemetry-proto (docs/specification.md, JSON encoding);
/// jaegertracing.io/docs/apis (api/traces); opentelemetry-python, ReadableSpan.to_json.
Result<void> for_each_span(const json::Value& root, const std::function<Result<void>(Span)>& visit);

}  // namespace spoor::llm::otel
