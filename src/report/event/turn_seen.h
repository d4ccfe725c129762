#pragma once

#include <string>

#include "compile/facts_view.h"
#include "graph/repository.h"
#include "report/event/event.h"

namespace spoor::report {

using store::Oid;

/// A commit that is being read, with its facts.
struct TurnSeen {
  Oid oid;
  const store::Commit* commit = nullptr;
  const compile::FactsView* facts = nullptr;
  compile::Capture capture = compile::Capture::full;
};

/// Returns true if the error means that an object is absent, not that reading failed.
bool is_absence(const Error& error);

/// Returns its text; nullopt if it has none, or its bytes are absent.
Result<std::optional<std::string>> text_of(const store::Reader& reader, const TurnSeen& turn);

/// Returns its text as an event shows it; erased if its bytes are absent.
Content content_of(const std::optional<std::string>& text, const TurnSeen& turn);

/// Returns its fields; none if their bytes are absent.
Result<compile::Fields> fields_of(const store::Reader& reader, const TurnSeen& turn);

/// Returns true if `bytes`, read under the name `oid`, replace an erased content.
Result<bool> was_erased(const store::Reader& reader, const Oid& oid, std::string_view bytes);

/// Returns the bytes of a content; nullopt if they are absent or erased.
Result<std::optional<std::string>> bytes_of(const store::Reader& reader, const Oid& oid);

/// Returns one line of a text for a summary. A hashed text is its own summary.
Content summary_of(const Content& content);

}  // namespace spoor::report
