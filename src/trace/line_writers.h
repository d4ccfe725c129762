#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/file_change.h"

namespace spoor::trace {

/// Who wrote a line: the number of an edit, or `kNoEdit`.
using Writer = std::uint32_t;

/// A person, a program, or an agent whose session is not in the store.
constexpr Writer kNoEdit = static_cast<Writer>(-1);

/// Everyone who may have written a line, in rising order; never empty. One: it is certain.
using Writers = std::vector<Writer>;

/// A file as edits left it.
struct EditedVersion {
  std::vector<std::string> lines;  ///< without their ends
  std::vector<Writers> writers;    ///< of each line
  std::optional<Writer> by;   ///< the edit that left it so; nullopt: what a later edit began with
  std::uint64_t missing = 0;  ///< later edits of unknown content
};

/// Follows one file through the edits of agents and through the versions that git has, and finds
/// for each line of a later version which edit wrote it.
///
/// A line is written by the change that added it: one that a change gives again unchanged keeps its
/// writer, as in a diff. Line ends (LF or CRLF) do not count. If several lines of an earlier
/// version may be the same line, all their writers may be its writer.
///
/// Give edits, versions and moves in the order of their times. For one thread.
class LineWriters {
 public:
  LineWriters();
  ~LineWriters();
  LineWriters(LineWriters&&) noexcept;

  /// Adds a version from before all edits: nobody's in the store. To be called first.
  void base(std::string_view text);

  /// Adds an edit. `place` is the working folder that it was made in; 0 is the one of head().
  void edit(Writer writer, std::size_t place, const FileChange& change);

  /// Adds an edit of unknown content: a command that may have written the file.
  void unknown_edit(Writer writer, std::size_t place);

  /// Adds the file as a commit has it, with the same of its parents. A commit or parent without the
  /// file is left out. `is_here`: it was made in place 0.
  void commit(std::string_view text, const std::vector<std::string_view>& parents, bool is_here);

  /// Tells that place 0 was moved to a commit with this version of the file.
  void head(std::string_view text);

  /// Returns the writers of each line of the file as it is at last in place 0.
  std::vector<Writers> of(std::string_view text);

  /// Returns the newest version in place 0 that edits give; nullopt if they give no whole file.
  std::optional<EditedVersion> edited() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spoor::trace
