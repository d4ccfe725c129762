#pragma once

#include "import/importer.h"
#include "import/lines.h"
#include "import/record_lines.h"
#include "import/session_writer.h"

namespace spoor::import {

/// What people are told when they stopped an import.
constexpr const char* kStoppedHint =
    "what was read until then is stored ('spoor log --all'); import it again to go on";

/// `error`; where it is that somebody stopped the import, what was read until then is written
/// first.
store::Error stopped(const store::Error& error, const std::vector<WantedRef>& lines,
                     SessionWriter& writer);

/// What an importer does with the records of one source, in their order.
class RecordSink {
 public:
  virtual ~RecordSink() = default;

  /// One record; the value lives until this returns.
  virtual Result<void> add(const json::Value& record) = 0;

  /// The source has ended.
  virtual Result<void> finish() { return {}; }

  /// The ends of all lines so far, the main one first: what SessionWriter::flush wants.
  virtual std::vector<WantedRef> lines() const = 0;
};

/// Reads a source of one record a line into `sink`, and has `writer` write in between.
/// Code::interrupted when `options` say so, Code::io, and what the sink answers.
Result<void> import_lines(Source& source, const RecordRules& rules, const ImportOptions& options,
                          RecordSink& sink, SessionWriter& writer, LossReport& report);

/// What an importer does with the lines of a source that is a text, in their order.
class LineSink {
 public:
  virtual ~LineSink() = default;

  /// One line; its text lives until this returns.
  virtual Result<void> add(const Line& line) = 0;

  /// The source has ended.
  virtual Result<void> finish() = 0;

  /// As RecordSink::lines().
  virtual std::vector<WantedRef> lines() const = 0;
};

/// As import_lines(), of a source that is a text, not records.
Result<void> import_text(Source& source, const ImportOptions& options, LineSink& sink,
                         SessionWriter& writer, LossReport& report);

/// The same into a sink of type `Sink`, made for it.
template <class Sink>
Result<LossReport> import_lines_into(std::string_view tool, const RecordRules& rules,
                                     Source& source, graph::Repository& repository,
                                     const ImportOptions& options) {
  Sink sink(tool, repository, options);
  TRY(import_lines(source, rules, options, sink, sink.writer(), sink.report()));
  return std::move(sink.report());
}

/// A document larger than this is not read: all of it is held at once.
constexpr std::size_t kMostDocument = 512U << 20U;

/// As import_lines(), of a source that is one JSON document, an object or an array, however it is
/// laid out; or several, one a line. A document that is cut off, broken or too large is reported,
/// and nothing of it imported.
Result<void> import_documents(Source& source, const ImportOptions& options, RecordSink& sink,
                              SessionWriter& writer, LossReport& report);

/// Imports `source` as documents into a sink of type `Sink`.
template <class Sink>
Result<LossReport> import_documents_into(std::string_view tool, Source& source,
                                         graph::Repository& repository,
                                         const ImportOptions& options) {
  Sink sink(tool, repository, options);
  TRY(import_documents(source, options, sink, sink.writer(), sink.report()));
  return std::move(sink.report());
}

/// As import_documents(), of one of the files that a source holds. The sink is not told that it has
/// ended, and what is not written yet waits; neither sources nor bytes are counted.
Result<void> import_file(Source& file, const ImportOptions& options, RecordSink& sink,
                         SessionWriter& writer, LossReport& report);

}  // namespace spoor::import
