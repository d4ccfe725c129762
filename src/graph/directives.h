#pragma once

#include <string>
#include <vector>

#include "compile/state.h"

namespace spoor::graph {

using compile::Entry;
using compile::State;
using store::Oid;
using store::Priority;

/// Returns the entry of `state`, the fold of `tip`, that `target` made. It lives as long as the
/// state. Returns Code::not_found if `target` is not stored or not on this history, Code::invalid
/// if it is on it but is not a prompt entry.
Result<const Entry*> find_entry(const store::Reader& reader, const State& state, const Oid& tip,
                                const Oid& target);

/// Checks that find_entry() would find `target`. Reads commits only, so `tip` need not be folded.
/// Errors as for find_entry().
Result<void> check_entry(const store::Reader& reader, const Oid& tip, const Oid& target);

/// One version of a message's text.
struct Version {
  Oid commit;   ///< the message itself, or an edit of it
  Oid content;  ///< the text from this version on, as stored

  bool operator==(const Version&) const = default;
};

/// Returns a message and its edits on the chain of `tip`, in chain order. Version 0 is the
/// original. `target` is the message or one of these edits. Errors as for find_entry().
Result<std::vector<Version>> versions_of(const store::Reader& reader, const State& state,
                                         const Oid& tip, const Oid& target);

/// An explicit priority of a message.
struct Annotation {
  Oid commit;  ///< an annotate, or the merge whose mode skipped the message
  Priority priority = Priority::normal;
  std::string reason;  ///< may be empty

  bool operator==(const Annotation&) const = default;
};

/// Returns the explicit priorities of a message on the chain of `tip`, in chain order. Errors as
/// for find_entry().
Result<std::vector<Annotation>> annotations_of(const store::Reader& reader, const State& state,
                                               const Oid& tip, const Oid& target);

}  // namespace spoor::graph
