#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "import/records.h"

namespace spoor::import {

/// An import of a source of lines that is still being written: what is added is read once. The
/// store is after each call as after an import of what was added so far, but for turns of which
/// more is to come: those that finish() would write.
class LiveImport {
 public:
  virtual ~LiveImport() = default;

  /// Reads whole lines, each with its LF, and writes their turns. Errors are those of import().
  virtual Result<void> add(std::string_view lines) = 0;

  /// Ends the source. Nothing may be added afterwards.
  virtual Result<void> finish() = 0;

  /// Sums up all that was added.
  virtual const LossReport& report() const = 0;
};

/// Makes one of a sink, for Importer::open.
template <class RecordSinkType, bool (*IsRecord)(const json::Value&),
          std::vector<std::string> (*DuplicateKeys)(const json::Value&) = duplicate_keys>
std::unique_ptr<LiveImport> open_lines(std::string_view tool, const std::string& name,
                                       std::string_view /*head*/, graph::Repository& repository) {
  class Lines final : public LiveImport {
   public:
    Lines(std::string_view importer, const std::string& source_name, graph::Repository& into)
        : source_(source_name, {}),
          sink_(importer, source_, into, options_),
          records_(source_name, {IsRecord, DuplicateKeys}, sink_.report()) {}

    Result<void> add(std::string_view lines) override {
      const auto visit = [&](const json::Value& record) { return sink_.add(record); };
      while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        TRY(records_.read({lines.substr(0, end), ++number_, true}, visit));
        lines.remove_prefix(std::min(lines.size(), end + 1));
        if (sink_.writer().is_full()) TRY(sink_.writer().flush(sink_.lines()));
      }
      return sink_.writer().flush(sink_.lines());
    }
    Result<void> finish() override {
      TRY(sink_.finish());
      return sink_.writer().flush(sink_.lines());
    }
    const LossReport& report() const override { return const_cast<Lines*>(this)->sink_.report(); }

   private:
    const ImportOptions options_;
    const TextSource source_;
    RecordSinkType sink_;
    LineRecords records_;
    std::uint64_t number_ = 0;
  };
  return std::make_unique<Lines>(tool, name, repository);
}

}  // namespace spoor::import
