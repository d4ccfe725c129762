#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/line_match.h"
#include "trace/line_writers.h"

namespace spoor::trace {

/// A set of writers as a number: equal sets have the same number.
using WritersId = std::uint32_t;

/// Numbers for lines and for sets of writers.
class LineTable {
 public:
  LineTable();

  /// Returns the lines of a text, without their ends.
  std::vector<LineId> lines_of(std::string_view text);
  LineId line(std::string_view text);

  /// Returns a line that is equal to no other.
  LineId new_line();

  std::string_view text(LineId line) const { return texts_[line]; }

  /// Returns for each line how many letters and digits it has.
  const std::vector<std::uint32_t>& weights() const { return weights_; }

  WritersId set(Writers writers);
  WritersId set(Writer writer) { return set(Writers{writer}); }
  const Writers& writers(WritersId set) const { return sets_[set]; }
  WritersId joined(WritersId a, WritersId b);

 private:
  std::deque<std::string> texts_;
  std::vector<std::uint32_t> weights_;
  std::unordered_map<std::string_view, LineId> lines_;  // Views of `texts_`.
  std::deque<Writers> sets_;
  std::map<Writers, WritersId> numbers_;
};

/// A version of the file with the writers of its lines.
struct FileVersion {
  /// The writers of a line that says nothing of who wrote it: of the context of a piece.
  static constexpr WritersId kNothing = static_cast<WritersId>(-1);

  std::vector<LineId> lines;
  std::vector<WritersId> writers;
};

/// Returns a version after a change, or nullopt if the change does not fit the version. Only
/// `replacements` and `diff` are read.
std::optional<FileVersion> changed(LineTable& table, const FileVersion& version,
                                   const FileChange& change, Writer writer);

/// Returns the lines before a change of which `diff` has line numbers, from those after it; nullopt
/// if the diff does not fit.
std::optional<std::vector<LineId>> lines_before(LineTable& table, std::span<const LineId> after,
                                                const FileChange& change);

/// Returns the pieces of the file that `diff` shows, with a line equal to no other between them.
FileVersion pieces_of(LineTable& table, const FileChange& change, Writer writer);

/// Returns the writers of a line that `matches` do not match: `writers`, and those of all unmatched
/// lines of `before` that are equal to it.
WritersId writers_of_unmatched(LineTable& table, LineId line, const FileVersion& before,
                               const LineMatches& matches, WritersId writers);

}  // namespace spoor::trace
