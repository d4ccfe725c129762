#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/file_history.h"
#include "cli/session.h"
#include "trace/line_writers.h"

namespace spoor::cli {

/// A file of the work tree, and lines of it: `src/cart.py`, `src/cart.py:12`, `src/cart.py:12-20`.
struct FileLines {
  std::string path;                          ///< absolute
  std::string shown;                         ///< as it was given
  std::optional<std::uint64_t> first, last;  ///< lines from 1; nullopt: all
};

/// Returns the file and lines that `word` names; nullopt if there is no such file. Code::denied if
/// the session may not read it.
Result<std::optional<FileLines>> find_file_lines(const Session& session, std::string_view word);

/// A line and who wrote it.
struct BlamedLine {
  std::uint64_t number = 0;
  std::string text;        ///< without its end
  trace::Writers writers;  ///< places in FileBlame::edits, or kNoEdit

  bool is_known() const { return writers.size() == 1; }
  bool is_by_edit() const { return is_known() && writers.front() != trace::kNoEdit; }
};

/// Tells that a file was not read, but is as recorded edits left it.
struct RecordedFile {
  std::optional<Timestamp> time;  ///< of the last edit whose content is known
  std::uint64_t missing = 0;      ///< later edits and commands of unknown content
};

/// The lines of a file, each with the edit that wrote it.
struct FileBlame {
  std::string name;  ///< the path from the top of the work tree; as recorded: the whole path
  std::optional<RecordedFile> recorded;
  std::vector<api::FileEditFound> edits;
  std::vector<BlamedLine> lines;  ///< only those that were asked for
};

/// Finds who wrote the lines. Code::invalid for lines that the file does not have, for a file that
/// is not a text, and if git cannot read the repository.
Result<FileBlame> blame_file(Session& session, const FileLines& wanted);

/// Finds who wrote the lines of a file as the recorded edits at one path left it. Reads no file.
/// `path`: the whole path, or the end of it. Code::not_found if no session edited it, or if the
/// edits do not give a whole file.
Result<FileBlame> blame_recorded_file(Session& session, const std::string& path);

}  // namespace spoor::cli
