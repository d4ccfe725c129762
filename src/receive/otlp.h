#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "base/result.h"

namespace spoor::receive {

/// What a post of OTLP contains: the last word of its path.
enum class Signal : std::uint8_t { traces, logs, metrics };

/// The part of a post that is recorded.
struct RecordedPart {
  /// OTLP/JSON with nothing but spans of model calls and their tools, or events of agents; all
  /// bytes of what is kept are as they came. Empty: nothing is.
  std::string document;
  std::uint64_t rejected = 0;  ///< records that would be kept and cannot be
  std::string_view problem;    ///< why, if any is rejected
};

/// Keeps what is recorded of a post of OTLP/JSON. Spans of other scopes, events of other programs
/// and metrics are left out, and are not rejected. Code::invalid if it is not OTLP/JSON.
///
/// Source: github.com/open-telemetry/opentelemetry-proto, docs/specification.md (OTLP 1.5.0, JSON
/// Protobuf Encoding).
Result<RecordedPart> keep(Signal signal, const std::string& body);

/// Returns a document with only the records (spans, log records) for which `is_kept` returns true,
/// and what is around them; `body`, unchanged, if it is true for all; empty if for none. Records of
/// other documents are none. `scope` is missing where there is none.
std::string only(
    Signal signal, const json::Value& root, std::string_view body,
    const std::function<bool(const json::Value& scope, const json::Value& record)>& is_kept);

/// Returns what is around the records of a document: its batches, as JSON, without their records.
/// Those that contain nothing else are left out.
std::vector<std::string> surroundings(Signal signal, const json::Value& root);

/// Records of a document, and what is around them, as surroundings() returns it.
struct Group {
  std::vector<json::Value> records;
  std::vector<std::string> surroundings;
};

/// Returns the records of a document by their keys, each with the batches and scopes in which it
/// has records. Those without a key are left out.
std::map<std::string, Group> grouped(
    Signal signal, const json::Value& root,
    const std::function<std::optional<std::string>(const json::Value& record)>& key_of);

/// Calls `visit` for each record.
void for_each_record(Signal signal, const json::Value& root,
                     const std::function<void(const json::Value& record)>& visit);

/// Returns the value of a record's attribute, without its wrapper; missing if there is none.
json::Value attribute_of(const json::Value& record, std::string_view name);

}  // namespace spoor::receive
