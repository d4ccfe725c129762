#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "import/sink.h"

namespace spoor::import {

/// What people are told when they stopped an import.
constexpr const char* kStoppedHint =
    "what was read until then is stored ('spoor log --all'); import it again to go on";

/// `error`; where it is that somebody stopped the import, what was read until then is written
/// first.
Error stopped(const Error& error, Sink& sink);

/// What a format tells about its records.
struct RecordRules {
  /// Is this surely a record? Asked where a record was cut off and another one may have been
  /// written right after it.
  bool (*is_sound)(const json::Value& record);

  /// The keys that occur twice where it matters: the last of each counts.
  std::vector<std::string> (*duplicate_keys)(const json::Value& record);

  /// May a record be an array, too?
  bool takes_arrays = false;
};

/// Keys that occur twice in one object, of the record or down to three levels within it.
std::vector<std::string> duplicate_keys(const json::Value& record);

/// Adds the keys that occur twice in `object` itself to `found`.
void collect_duplicate_keys(const json::Value& object, std::vector<std::string>& found);

/// Reads a source of one record a line into `sink`, and writes in between. Code::interrupted when
/// the options say so, Code::io, and what the sink answers.
Result<void> import_lines(Source& source, const RecordRules& rules, RecordSink& sink);

/// As import_lines(), of a source that is a text, not records.
Result<void> import_text(Source& source, LineSink& sink);

/// A document larger than this is not read: all of it is held at once.
constexpr std::size_t kMostDocument = 512U << 20U;

/// As import_lines(), of a source that is one JSON document, an object or an array, however it is
/// laid out; or several, one a line. A document that is cut off, broken or too large is reported,
/// and nothing of it imported.
Result<void> import_documents(Source& source, RecordSink& sink);

/// As import_documents(), of one of the files that a source holds. The sink is not told that it has
/// ended, and what is not written yet waits; neither sources nor bytes are counted.
Result<void> import_file(Source& file, RecordSink& sink);

/// Readers for an Importer: into a sink of type `RecordSinkType`, made for the source.
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

/// Reads the records of one line after the other: one as a rule, several where
/// they were glued together, none where nothing can be read. What cannot be read,
/// and what is odd, is remarked on with its place.
class LineRecords {
 public:
  LineRecords(std::string source, const RecordRules& rules, LossReport& report)
      : source_(std::move(source)), rules_(rules), report_(report) {}

  /// Called with each object; the value lives until it returns.
  using Visitor = std::function<Result<void>(const json::Value& record)>;

  Result<void> read(const Line& line, const Visitor& visit);

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

/// Has a string in this JSON text half a surrogate pair as an escape?
bool has_lone_surrogate(std::string_view json_text);

}  // namespace spoor::import
