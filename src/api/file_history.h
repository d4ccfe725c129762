#pragma once

#include <string>
#include <vector>

#include "api/session.h"
#include "trace/file_change.h"

namespace spoor::api {

/// A file of a project, to find in sessions.
struct WantedFile {
  std::vector<std::string>
      names;  ///< paths in the project: the present one first, older ones after

  /// The folders that the project is checked out in, absolute; the first is the one that is asked
  /// about. Edits in another folder with the same name are found too, and in one of any name that
  /// does not exist any more: a work tree that was removed, a folder that was renamed.
  std::vector<std::string> folders;
};

/// An edit of the file by a session.
struct FileEditFound {
  std::uint64_t session = 0;  ///< the number of the session
  std::string branch, agent;  ///< of the session
  std::size_t place = 0;      ///< the number of the folder; 0 is the first of WantedFile::folders
  bool is_of_gone = false;    ///< its folder has another name and is gone: perhaps another project
  std::string tool;
  std::optional<Timestamp> time;  ///< of the result
  std::optional<Oid> answer, result;
  std::optional<store::NamedCommit> request;  ///< the user's turn that led to it
  trace::Reason reason;
  bool is_command = false;  ///< a command that names the file and may have written it
  trace::FileChange change;
};

/// Returns the file that sessions edited at `path`: its whole path, or the end of it, then in the
/// session that started last. Code::not_found if no session edited it. Asks the store alone.
Result<WantedFile> find_edited_file(const Context& context, std::string_view path);

/// Returns the edits of a file in all sessions, in the order of their times. The names of the files
/// that a session edits are kept in the store's cache.
Result<std::vector<FileEditFound>> find_file_edits(const Context& context, const WantedFile& file);

}  // namespace spoor::api
