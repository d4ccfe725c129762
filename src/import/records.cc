#include "import/records.h"

#include <fmt/format.h>

#include "compile/json/python.h"
#include "import/lines.h"
#include "store/text.h"

namespace spoor::import {
namespace {

constexpr std::uint64_t kProgressStep = 1U << 20U;

/// Tells how far a source has got, now and then.
class Telling {
 public:
  Telling(const Source& source, const ImportOptions& options)
      : source_(source), options_(options) {}

  void tell(std::uint64_t bytes_done, std::uint64_t step) {
    if (!options_.progress || bytes_done < told_ + step) return;
    told_ = bytes_done;
    options_.progress({source_.name(), told_, source_.size()});
  }

 private:
  const Source& source_;
  const ImportOptions& options_;
  std::uint64_t told_ = 0;
};

Result<void> check_cancel(const Source& source, const ImportOptions& options) {
  if (options.cancel == nullptr || !options.cancel->load()) return {};
  return store::interrupted(fmt::format("import of '{}' was stopped", source.name()), kStoppedHint);
}

bool is_sound_object(const json::Value& value) { return value.is_object() && value.size() > 0; }

std::string too_long(const Line& line) {
  return fmt::format("a line of {} bytes is longer than any record, not imported", line.dropped);
}

/// The whole of a source, of which `begun` is there; nothing when it is too large.
Result<std::optional<std::string>> read_rest(LineReader& lines, std::string begun, bool ended) {
  while (begun.size() <= kMostDocument) {
    if (ended) begun += '\n';
    const auto line = TRY(lines.next());
    if (!line) return std::optional<std::string>(std::move(begun));
    if (line->dropped > 0) break;
    begun += line->text;
    ended = line->ended;
  }
  return std::optional<std::string>();
}

/// Is a line, or the beginning of one, a document of its own?
bool is_document(std::string_view line) {
  json::Document document;
  const json::Reading reading = json::parse_python(line, document);
  if (!reading || !(document.root().is_object() || document.root().is_array())) return false;
  const json::Reading next = json::parse_python(line.substr(reading.end), document);
  return next.status == json::Reading::Status::nothing;
}

/// With `is_lines` every line is one of records; else a first one that is no document of its own
/// begins one of several lines. Answers with the bytes there were.
Result<std::uint64_t> read_records(Source& source, const RecordRules& rules, bool is_lines,
                                   const ImportOptions& options, RecordSink& sink,
                                   SessionWriter& writer, LossReport& report) {
  LineReader lines(source, is_lines ? store::kMostLineBytes : kMostDocument);
  LineRecords records(source.name(), rules, report);
  Telling telling(source, options);
  const auto visit = [&](const json::Value& record) { return sink.add(record); };
  const auto check = [&] { return check_cancel(source, options); };
  while (const auto line = TRY(lines.next())) {
    TRY(check());
    if (line->dropped > 0) {
      report.remark({Remark::Kind::unreadable, source.name(), line->number, too_long(*line)});
      continue;
    }
    const bool is_blank = !is_lines && store::trimmed(line->text).empty();
    if (is_lines || is_blank || is_document(line->text)) {
      is_lines = is_lines || !is_blank;
      TRY(records.read(*line, visit));
      if (writer.is_full()) TRY(writer.flush(sink.lines()));
      telling.tell(lines.bytes_done(), kProgressStep);
      continue;
    }
    const std::uint64_t number = line->number;
    auto whole = TRY(read_rest(lines, std::string(line->text), line->ended));
    if (whole) {
      TRY(records.read({*whole, number, false}, visit));
    } else {
      report.remark(
          {Remark::Kind::unreadable, source.name(), number,
           fmt::format("a document of more than {} MiB, not imported", kMostDocument >> 20U)});
      while (TRY(lines.next())) TRY(check());
    }
  }
  telling.tell(lines.bytes_done(), 0);
  return lines.bytes_done();
}

Result<void> import_records(Source& source, const RecordRules& rules, bool is_lines,
                            const ImportOptions& options, RecordSink& sink, SessionWriter& writer,
                            LossReport& report) {
  const auto read = read_records(source, rules, is_lines, options, sink, writer, report);
  if (!read) return stopped(read.error(), sink.lines(), writer);
  report.bytes = *read;
  report.sources = 1;
  TRY(sink.finish());
  const auto written = writer.flush(sink.lines());
  return written ? written : stopped(written.error(), sink.lines(), writer);
}

constexpr RecordRules kDocumentRules{is_sound_object, duplicate_keys, true};

}  // namespace

store::Error stopped(const store::Error& error, const std::vector<WantedRef>& lines,
                     SessionWriter& writer) {
  if (error.code != store::Error::Code::interrupted) return error;
  const auto written = writer.flush(lines);
  return written ? error : written.error();
}

Result<void> import_lines(Source& source, const RecordRules& rules, const ImportOptions& options,
                          RecordSink& sink, SessionWriter& writer, LossReport& report) {
  return import_records(source, rules, true, options, sink, writer, report);
}

Result<void> import_documents(Source& source, const ImportOptions& options, RecordSink& sink,
                              SessionWriter& writer, LossReport& report) {
  return import_records(source, kDocumentRules, false, options, sink, writer, report);
}

Result<void> import_file(Source& file, const ImportOptions& options, RecordSink& sink,
                         SessionWriter& writer, LossReport& report) {
  TRY(read_records(file, kDocumentRules, false, options, sink, writer, report));
  return {};
}

Result<void> import_text(Source& source, const ImportOptions& options, LineSink& sink,
                         SessionWriter& writer, LossReport& report) {
  LineReader lines(source);
  Telling telling(source, options);
  while (const auto line = TRY(lines.next())) {
    if (const auto check = check_cancel(source, options); !check) {
      return stopped(check.error(), sink.lines(), writer);
    }
    if (line->dropped > 0) {
      report.remark({Remark::Kind::unreadable, source.name(), line->number, too_long(*line)});
      continue;
    }
    TRY(sink.add(*line));
    if (writer.is_full()) {
      const auto written = writer.flush(sink.lines());
      if (!written) return stopped(written.error(), sink.lines(), writer);
    }
    telling.tell(lines.bytes_done(), kProgressStep);
  }
  TRY(sink.finish());
  const auto written = writer.flush(sink.lines());
  if (!written) return stopped(written.error(), sink.lines(), writer);
  telling.tell(lines.bytes_done(), 0);
  report.sources = 1;
  report.bytes = lines.bytes_done();
  return {};
}

}  // namespace spoor::import
