#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "graph/directives.h"
#include "graph/repository.h"

namespace spoor::graph {

using compile::Prompt;
using compile::State;
using compile::ToolCall;
using store::Oid;

/// The commits that determine one entry of a prompt.
struct Origin {
  Oid commit;              ///< the turn, or the summary in its place
  Oid said_by;             ///< the commit whose words are shown: the turn itself, or an edit of it
  std::vector<Oid> edits;  ///< all edits of the turn, in chain order
  std::vector<Annotation> annotations;  ///< in chain order
  std::vector<Oid> sources;             ///< of a summary: the entries it replaces, in prompt order
  /// The annotation that brings the entry into the prompt; nullopt if its type alone does.
  std::optional<Oid> shown_by;
};

/// Returns the origin of the entry that `commit` made in `state`, the fold of `tip`. Errors as for
/// find_entry().
Result<Origin> origin_of(const store::Reader& reader, const State& state, const Oid& tip,
                         const Oid& commit);

/// One place where a prompt contains a phrase, and the commits that brought it there.
struct Occurrence {
  std::size_t message = 0;  ///< index in the prompt, from 0
  Oid commit;               ///< the part of the message that contains the phrase
  /// The commit that brought the phrase: the turn itself, an edit of it, or the summary. Not a
  /// later edit that kept the phrase.
  Oid brought_by;
  std::vector<Oid> kept_by;     ///< those later edits, in chain order
  std::optional<Oid> shown_by;  ///< as in Origin
  /// If it is a summary: the turns it replaces that contain the phrase, in prompt order. A summary
  /// among them is listed if it contains the phrase and none of its own turns does.
  std::vector<Oid> sources;
};

/// Reports whether `text` or one of `calls` contains `phrase`. Compares exact bytes: of the text,
/// of a call's name, of the strings in its arguments, and of the arguments as the provider wrote
/// them.
bool says(std::string_view text, const std::vector<ToolCall>* calls, std::string_view phrase);

/// Finds every message of `prompt` that contains `phrase`, in prompt order. Each part of a message
/// counts separately; a phrase that spans two parts belongs to the part in which it begins.
/// `prompt` must have been compiled from a commit of `repository`.
Result<std::vector<Occurrence>> why(const Repository& repository, const Prompt& prompt,
                                    std::string_view phrase);

}  // namespace spoor::graph
