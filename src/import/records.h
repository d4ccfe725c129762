#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "import/sink.h"

namespace spoor::import {

/// The hint of the error when an import is stopped.
constexpr const char* kStoppedHint =
    "what was read before is stored ('spoor log --all'); import it again to continue";

/// Returns `error`. If it is Code::interrupted, first writes what was read so far.
Error stopped(const Error& error, Sink& sink);

/// A format's rules for its records.
struct RecordRules {
  /// Returns true if `record` is surely a record. Called after a damaged record, because another
  /// record may follow it directly.
  bool (*is_sound)(const json::Value& record);

  /// Returns the relevant keys that occur twice: the last of each counts.
  std::vector<std::string> (*duplicate_keys)(const json::Value& record);

  /// A record may also be an array.
  bool takes_arrays = false;
};

/// Returns the keys that occur twice in one object: the record, or an object up to three levels
/// deep.
std::vector<std::string> duplicate_keys(const json::Value& record);

/// Appends the keys that occur twice in `object` itself to `found`.
void collect_duplicate_keys(const json::Value& object, std::vector<std::string>& found);

/// Reads a source of one record per line into `sink`, and writes batches in between. Returns
/// Code::interrupted if the options request it, Code::io, and the sink's errors.
Result<void> import_lines(Source& source, const RecordRules& rules, RecordSink& sink);

/// Does the same as import_lines() for a source that is a text, not records.
Result<void> import_text(Source& source, LineSink& sink);

/// The size limit of a document in bytes, because a document is held in memory as a whole.
constexpr std::size_t kMostDocument = 512U << 20U;

/// Does the same as import_lines() for a source that is one JSON document, an object or an array,
/// in any layout; or several, one per line. A document that is cut off, broken or too large is
/// reported, and nothing of it is imported.
Result<void> import_documents(Source& source, RecordSink& sink);

/// Does the same as import_documents() for one of the files that a source contains. Does not call
/// the sink's finish(), does not write the rest, and does not count sources or bytes.
Result<void> import_file(Source& file, RecordSink& sink);

/// Read functions for an Importer. They make a sink of type `RecordSinkType` for the source.
template <class RecordSinkType, bool (*IsRecord)(const json::Value&)>
Result<LossReport> import_lines_into(std::string_view tool, Source& source,
                                     graph::Repository& repository, const ImportOptions& options) {
  RecordSinkType sink(tool, source, repository, options);
  TRY(import_lines(source, {IsRecord, duplicate_keys}, sink));
  return std::move(sink.report());
}

template <class RecordSinkType>
Result<LossReport> import_documents_into(std::string_view tool, Source& source,
                                         graph::Repository& repository,
                                         const ImportOptions& options) {
  RecordSinkType sink(tool, source, repository, options);
  TRY(import_documents(source, sink));
  return std::move(sink.report());
}

template <class LineSinkType>
Result<LossReport> import_text_into(std::string_view tool, Source& source,
                                    graph::Repository& repository, const ImportOptions& options) {
  LineSinkType sink(tool, source, repository, options);
  TRY(import_text(source, sink));
  return std::move(sink.report());
}

/// Reads the records of one line after the other: usually one per line, several if they were glued
/// together, none if nothing can be read. Reports unreadable and odd places with their line.
class LineRecords {
 public:
  LineRecords(std::string source, const RecordRules& rules, LossReport& report)
      : source_(std::move(source)), rules_(rules), report_(report) {}

  /// Called with each object; the value is valid until it returns.
  using Visitor = std::function<Result<void>(const json::Value& record)>;

  Result<void> read(const Line& line, const Visitor& visit);

  /// Reads a line that is one object or array and nothing else. Returns false, and reads nothing,
  /// if it is not.
  Result<bool> read_document(const Line& line, const Visitor& visit);

 private:
  void skip_between(std::string_view text, std::size_t& at, std::uint64_t line);
  Result<void> visit_record(const Line& line, const Visitor& visit);
  Result<void> give_up(const Line& line, std::size_t begin, const json::Reading& reading,
                       const Visitor& visit);
  void remark_oddities(const json::Value& record, std::uint64_t line);
  void remark(Remark::Kind kind, std::uint64_t line, std::string text);

  std::string source_;
  RecordRules rules_;
  LossReport& report_;
  json::Document document_;
};

/// Returns true if a string in this JSON text contains half a surrogate pair as an escape.
bool has_lone_surrogate(std::string_view json_text);

}  // namespace spoor::import
