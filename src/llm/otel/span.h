#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "base/timestamp.h"
#include "llm/otel/dialect.h"

namespace spoor::llm::otel {

/// Attributes by name; values of OTLP without `stringValue` and similar wrappers.
using AttributeValues = std::map<std::string, json::Value, std::less<>>;

struct SpanEvent {
  std::string name;
  AttributeValues attributes;
};

/// A text of a span that is JSON itself.
struct InnerDocument {
  std::string text;
  json::Document document;
};

/// A span of a document. Its values live as long as the document.
struct Span {
  json::Value record;  ///< the whole span
  std::string name;
  std::string trace;  ///< id, in the exporter's form
  std::optional<Timestamp> start;
  std::optional<Timestamp> end;
  AttributeValues attributes;
  std::vector<SpanEvent> events;
  std::shared_ptr<const InnerDocument> inner;  ///< of some events; shared by copies of the span

  /// Returns the attribute with this meaning as text: a string's text, a number's digits, the first
  /// element of a list. Empty if there is none.
  std::string text(Meaning meaning) const;

  /// Like text(), as a value; missing if there is none.
  json::Value find(Meaning meaning) const;

  /// Returns the list of messages that is spread over the span's attributes or events, as JSON
  /// text; empty if there is none.
  std::string spread(Meaning meaning) const;

  /// Returns the milliseconds from start to end; nullopt if either is unknown.
  std::optional<std::int64_t> duration_ms() const;

  /// Returns true if the span has the status of an error.
  bool has_failed() const;

  /// Returns why a span failed: the message of its status, else type and message of its exception.
  /// Empty if the span has neither.
  std::string failure() const;
};

/// Returns true if a document, or its beginning, contains spans in a form that for_each_span()
/// reads.
bool holds_spans(const json::Value& root);

/// Calls `visit` for each span of a document: OTLP/JSON (`resourceSpans`, one document or one per
/// line; Tempo's `batches`), Jaeger's JSON (`data` of traces), and the output of SDKs (`spans`, or
/// a list of spans with `context` or `spanContext`). Stops at the first error.
///
/// Sources: github.com/open-telemetry/opentelemetry-proto (docs/specification.md, JSON encoding);
/// jaegertracing.io/docs/apis (api/traces); opentelemetry-python, ReadableSpan.to_json.
Result<void> for_each_span(const json::Value& root, const std::function<Result<void>(Span)>& visit);

}  // namespace spoor::llm::otel
