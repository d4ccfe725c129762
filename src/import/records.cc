#include "import/records.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json/python.h"
#include "base/text.h"
#include "base/utf8.h"

namespace spoor::import {
namespace {

constexpr std::uint64_t kProgressStep = 1U << 20U;

Result<void> check_cancel(const Source& source, const ImportOptions& options) {
  if (options.cancel == nullptr || !options.cancel->load()) return {};
  return interrupted(fmt::format("import of '{}' was stopped", source.name()), kStoppedHint);
}

/// Passes each line of a source to `read(lines, line)`, reports the progress and writes full
/// batches. Returns the number of bytes read.
template <class Read>
Result<std::uint64_t> read_lines(Source& source, std::uint64_t most, Sink& sink, const Read& read) {
  LineReader lines(source, most);
  const ImportOptions& options = sink.options();
  std::uint64_t reported = 0;
  const auto report_progress = [&](std::uint64_t step) {
    if (!options.progress || lines.bytes_done() < reported + step) return;
    reported = lines.bytes_done();
    options.progress({source.name(), reported, source.size()});
  };
  while (const auto line = TRY(lines.next())) {
    TRY(check_cancel(source, options));
    if (line->dropped > 0) {
      sink.report().remark(
          {Remark::Kind::unreadable, source.name(), line->number,
           fmt::format("a line of {} bytes is longer than any record, not imported",
                       line->dropped)});
      continue;
    }
    TRY(read(lines, *line));
    if (sink.writer().is_full()) TRY(sink.writer().flush(sink.lines()));
    report_progress(kProgressStep);
  }
  report_progress(0);
  return lines.bytes_done();
}

/// Writes what was read of a source, to its end or up to an error.
Result<void> finish(const Result<std::uint64_t>& bytes, Sink& sink) {
  if (!bytes) return stopped(bytes.error(), sink);
  sink.report().bytes = *bytes;
  sink.report().sources = 1;
  TRY(sink.finish());
  const auto written = sink.writer().flush(sink.lines());
  return written ? written : stopped(written.error(), sink);
}

bool is_sound_object(const json::Value& value) { return value.is_object() && value.size() > 0; }

constexpr RecordRules kDocumentRules{is_sound_object, duplicate_keys, true};

/// Returns a whole source that starts with `begun`; nullopt if it is too large.
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

/// Reads the documents of a source. If the first line is not a complete document, it begins one
/// that spans several lines; else every line is a document.
Result<std::uint64_t> read_documents(Source& source, RecordSink& sink) {
  LineRecords records(source.name(), kDocumentRules, sink.report());
  const auto visit = [&](const json::Value& record) { return sink.add(record); };
  bool is_lines = false;
  return read_lines(
      source, kMostDocument, sink, [&](LineReader& lines, const Line& line) -> Result<void> {
        if (is_lines || trimmed(line.text).empty()) return records.read(line, visit);
        is_lines = TRY(records.read_document(line, visit));
        if (is_lines) return {};
        const std::uint64_t number = line.number;
        const auto whole = TRY(read_rest(lines, std::string(line.text), line.ended));
        if (whole) return records.read({*whole, number, false}, visit);
        sink.report().remark(
            {Remark::Kind::unreadable, source.name(), number,
             fmt::format("a document of more than {} MiB, not imported", kMostDocument >> 20U)});
        while (TRY(lines.next())) TRY(check_cancel(source, sink.options()));
        return {};
      });
}

}  // namespace

Error stopped(const Error& error, Sink& sink) {
  if (error.code != Error::Code::interrupted) return error;
  const auto written = sink.writer().flush(sink.lines());
  return written ? error : written.error();
}

Result<void> import_lines(Source& source, const RecordRules& rules, RecordSink& sink) {
  LineRecords records(source.name(), rules, sink.report());
  const auto visit = [&](const json::Value& record) { return sink.add(record); };
  const auto read = [&](LineReader&, const Line& line) { return records.read(line, visit); };
  return finish(read_lines(source, kMostLineBytes, sink, read), sink);
}

Result<void> import_documents(Source& source, RecordSink& sink) {
  return finish(read_documents(source, sink), sink);
}

Result<void> import_file(Source& file, RecordSink& sink) {
  TRY(read_documents(file, sink));
  return {};
}

Result<void> import_text(Source& source, LineSink& sink) {
  const auto read = [&](LineReader&, const Line& line) { return sink.add(line); };
  return finish(read_lines(source, kMostLineBytes, sink, read), sink);
}

// --- Records of a line --------------------------------------------------------

namespace {

using json::Reading;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kObjectStart = "{\"";
constexpr std::size_t kMaxGuesses = 16;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Returns true if only whole, sound records follow from `at` on.
bool holds_records(std::string_view text, std::size_t at, const RecordRules& rules,
                   json::Document& document) {
  bool any = false;
  for (;;) {
    const Reading reading = json::parse_python(text.substr(at), document);
    if (reading.status == Reading::Status::nothing) return any;
    if (!reading) return false;
    if (!rules.is_sound(document.root())) return false;
    any = true;
    at += reading.end;
  }
}

/// Returns the position, after `begin`, of the first sound record on a damaged line, where a record
/// was cut off and the next one written directly after it. The next one begins shortly before the
/// parser found the error (`noticed`), or else near the front.
std::size_t find_sound_record(std::string_view text, std::size_t begin, std::size_t noticed,
                              const RecordRules& rules) {
  std::vector<std::size_t> guesses;
  for (std::size_t at = noticed; guesses.size() < kMaxGuesses && at > begin;) {
    at = text.rfind(kObjectStart, at - 1);
    if (at == std::string_view::npos || at <= begin) break;
    guesses.push_back(at);
  }
  for (std::size_t at = begin + 1, n = 0; n < kMaxGuesses; ++n, ++at) {
    at = text.find(kObjectStart, at);
    if (at == std::string_view::npos) break;
    guesses.push_back(at);
  }
  std::sort(guesses.begin(), guesses.end());
  json::Document document;
  for (const std::size_t guess : guesses) {
    if (holds_records(text, guess, rules, document)) return guess;
  }
  return std::string_view::npos;
}

unsigned hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10) : 16;
}

/// Returns the code unit of a `\uXXXX` at the front, or 0.
unsigned code_unit(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return 0;
  unsigned unit = 0;
  for (std::size_t i = 2; i < 6; ++i) unit = unit * 16 + hex_digit(text[i]);
  return unit;
}

constexpr bool is_high(unsigned unit) { return unit >= 0xd800 && unit < 0xdc00; }
constexpr bool is_low(unsigned unit) { return unit >= 0xdc00 && unit < 0xe000; }

void collect_within(const json::Value& value, int levels, std::vector<std::string>& found) {
  if (value.is_object()) {
    collect_duplicate_keys(value, found);
    if (levels == 0) return;
    for (const json::Member& member : value.members()) {
      collect_within(member.value, levels - 1, found);
    }
  } else if (value.is_array() && levels > 0) {
    for (const json::Value& element : value.elements()) collect_within(element, levels - 1, found);
  }
}

}  // namespace

void collect_duplicate_keys(const json::Value& object, std::vector<std::string>& found) {
  std::vector<std::string> keys;
  for (const json::Member& member : object.members()) keys.push_back(member.key.text());
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i] == keys[i - 1] && (found.empty() || found.back() != keys[i])) {
      found.push_back(keys[i]);
    }
  }
}

std::vector<std::string> duplicate_keys(const json::Value& record) {
  constexpr int kLevels = 3;
  std::vector<std::string> found;
  collect_within(record, kLevels, found);
  return found;
}

bool has_lone_surrogate(std::string_view json_text) {
  for (std::size_t at = json_text.find('\\'); at < json_text.size();
       at = json_text.find('\\', at)) {
    const unsigned unit = code_unit(json_text.substr(at));
    if (is_high(unit)) {
      at += 6;
      if (!is_low(code_unit(json_text.substr(at)))) return true;
      at += 6;
    } else if (is_low(unit)) {
      return true;
    } else {
      at += 2;
    }
  }
  return false;
}

void LineRecords::remark(Remark::Kind kind, std::uint64_t line, std::string text) {
  report_.remark({kind, source_, line, std::move(text)});
}

Result<void> LineRecords::read(const Line& line, const Visitor& visit) {
  const std::string_view text = line.text;
  std::size_t at = 0;
  if (text.starts_with(kByteOrderMark)) {
    at = kByteOrderMark.size();
    remark(Remark::Kind::odd, line.number, "a byte order mark, skipped");
  }
  for (;;) {
    skip_between(text, at, line.number);
    if (at == text.size()) return {};
    const Reading reading = json::parse_python(text.substr(at), document_);
    if (!reading) return give_up(line, at, reading, visit);
    TRY(visit_record(line, visit));
    at += reading.end;
  }
}

Result<bool> LineRecords::read_document(const Line& line, const Visitor& visit) {
  const Reading reading = json::parse_python(line.text, document_);
  const json::Value root = document_.root();
  const bool is_whole = reading && (root.is_object() || root.is_array()) &&
                        std::all_of(line.text.begin() + static_cast<std::ptrdiff_t>(reading.end),
                                    line.text.end(), is_space);
  if (is_whole) TRY(visit_record(line, visit));
  return is_whole;
}

/// Skips white space and runs of NUL, which a crash leaves in place of data.
void LineRecords::skip_between(std::string_view text, std::size_t& at, std::uint64_t line) {
  std::size_t nuls = 0;
  for (; at < text.size() && (is_space(text[at]) || text[at] == '\0'); ++at) {
    if (text[at] == '\0') ++nuls;
  }
  if (nuls == 0) return;
  remark(
      Remark::Kind::unreadable, line,
      fmt::format("{} NUL {} outside of any record, skipped", nuls, nuls == 1 ? "byte" : "bytes"));
}

Result<void> LineRecords::visit_record(const Line& line, const Visitor& visit) {
  const json::Value root = document_.root();
  if (!root.is_object() && !(rules_.takes_arrays && root.is_array())) {
    remark(Remark::Kind::unreadable, line.number,
           fmt::format("a {} where a record was expected, not imported", name_of(root.type())));
    return {};
  }
  remark_oddities(root, line.number);
  return visit(root);
}

void LineRecords::remark_oddities(const json::Value& root, std::uint64_t line) {
  const std::string_view raw = root.raw();
  if (!is_utf8(raw)) {
    remark(Remark::Kind::odd, line, "bytes that are not UTF-8, kept as they are");
  }
  if (raw.find('\0') != std::string_view::npos) {
    remark(Remark::Kind::odd, line, "a NUL byte in a string, kept as it is");
  }
  if (has_lone_surrogate(raw)) {
    remark(Remark::Kind::odd, line, "half a surrogate pair in a string, kept as it is");
  }
  for (const std::string& key : rules_.duplicate_keys(root)) {
    remark(Remark::Kind::odd, line,
           fmt::format("the key '{}' occurs twice, the last one counts", plain_word(key)));
  }
}

Result<void> LineRecords::give_up(const Line& line, std::size_t begin, const Reading& reading,
                                  const Visitor& visit) {
  const bool torn = reading.status == Reading::Status::torn;
  const std::size_t noticed = begin + reading.end;
  if (torn && !line.ended) {
    report_.torn += 1;
    remark(Remark::Kind::unreadable, line.number,
           fmt::format("the last line is cut off after {} bytes, not imported",
                       line.text.size() - begin));
    return {};
  }
  const std::size_t sound =
      line.ended ? find_sound_record(line.text, begin, noticed, rules_) : std::string_view::npos;
  remark(Remark::Kind::unreadable, line.number,
         fmt::format("{} (byte {}){}", torn ? "a record is cut off" : reading.problem, noticed + 1,
                     sound == std::string_view::npos ? ", not imported"
                                                     : ", the rest of the line was read"));
  if (sound == std::string_view::npos) return {};
  Line rest = line;
  rest.text.remove_prefix(sound);
  return read(rest, visit);
}

}  // namespace spoor::import
