#pragma once

#include <string>
#include <vector>

#include "cli/git/blobs.h"
#include "compile/state.h"

namespace spoor::cli::git {

/// A file of a turn: what its name ends in, behind `0007-`, and what it holds.
struct TurnFile {
  std::string ending;  ///< `assistant.md`
  GitOid blob;
};

/// What an entry is shown as, as edits and annotations have it now: its text
/// (`assistant.md`), its calls (`assistant.calls.json`), its reasons
/// (`assistant.rationale.json`), what is attached (`user.1.png`), and why it was
/// pinned or skipped (`user.pinned.md`).
Result<std::vector<TurnFile>> files_of(const store::Reader& reader, Blobs& blobs,
                                       const compile::Entry& entry);

/// The one file of a turn that is never part of a prompt: a note or a decision.
Result<TurnFile> file_of(Blobs& blobs, const store::Commit& turn);

/// JSON text indented, members in their order; as a string where it is none.
std::string indented_json(std::string_view text);

}  // namespace spoor::cli::git
