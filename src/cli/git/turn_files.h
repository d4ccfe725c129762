#pragma once

#include <string>
#include <vector>

#include "cli/git/blobs.h"
#include "compile/state.h"

namespace spoor::cli::git {

/// A file of a turn: the end of its name, after `0007-`, and its contents.
struct TurnFile {
  std::string ending;  ///< `assistant.md`
  GitOid blob;
};

/// Returns the files that show an entry with its edits and annotations applied: its text
/// (`assistant.md`), its calls (`assistant.calls.json`), its reasons (`assistant.rationale.json`),
/// its attachments (`user.1.png`), and the reason why it was pinned or skipped (`user.pinned.md`).
Result<std::vector<TurnFile>> files_of(const store::Reader& reader, Blobs& blobs,
                                       const compile::Entry& entry);

/// Returns the only file of a turn that is never part of a prompt: a note or a decision.
Result<TurnFile> file_of(Blobs& blobs, const store::Commit& turn);

/// Returns JSON text indented, with its members in order; a JSON string if `text` is not JSON.
std::string indented_json(std::string_view text);

}  // namespace spoor::cli::git
