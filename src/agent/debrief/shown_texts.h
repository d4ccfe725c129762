#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/debrief/debrief.h"
#include "store/reader.h"

namespace spoor::agent::debrief {

using Bytes = std::shared_ptr<const std::string>;

/// The bytes of these contents, in order, with one call to the store; null where they are absent.
store::Result<std::vector<Bytes>> bytes_of(const store::Reader& reader,
                                           const std::vector<store::Oid>& oids);

/// A text as people see it: where only a commitment of it is kept, `[hashed, 50 B]`.
Bytes shown_bytes(Bytes text);

/// Reads the reasons of these entries that are unread.
store::Result<void> read_reasons(const store::Reader& reader,
                                 const std::vector<PathEntry*>& entries);

/// Reads what a debrief shows and its commits do not say themselves, and no more: the reasons of
/// the calls on the path, the first line of their results, the texts and reasons of what stands in
/// the other lists. What was read already is not read again; what is absent is as if it were empty.
store::Result<void> read_shown(const store::Reader& reader, Debrief& debrief);

}  // namespace spoor::agent::debrief
