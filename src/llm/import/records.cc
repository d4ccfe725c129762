#include "llm/import/records.h"

#include <fmt/format.h>

#include "llm/import/lines.h"

namespace spoor::llm::import {
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

}  // namespace

Result<void> import_lines(Source& source, const RecordRules& rules, const ImportOptions& options,
                          RecordSink& sink, SessionWriter& writer, LossReport& report) {
  LineReader lines(source);
  LineRecords records(source.name(), rules, report);
  Telling telling(source, options);
  while (const auto line = TRY(lines.next())) {
    if (options.cancel != nullptr && options.cancel->load()) {
      return store::interrupted(fmt::format("import of '{}' was stopped", source.name()));
    }
    TRY(records.read(*line, [&](const json::Value& record) { return sink.add(record); }));
    if (writer.is_full()) TRY(writer.flush(sink.lines()));
    telling.tell(lines.bytes_done(), kProgressStep);
  }
  TRY(sink.finish());
  TRY(writer.flush(sink.lines()));
  telling.tell(lines.bytes_done(), 0);
  report.sources = 1;
  report.bytes = lines.bytes_done();
  return {};
}

}  // namespace spoor::llm::import
