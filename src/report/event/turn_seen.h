#pragma once

#include <string>

#include "compile/facts_view.h"
#include "graph/repository.h"
#include "report/event/event.h"

namespace spoor::report {

using store::Oid;

/// A commit that is looked at, with its facts.
struct TurnSeen {
  Oid oid;
  const store::Commit* commit = nullptr;
  const compile::FactsView* facts = nullptr;
  compile::Capture capture = compile::Capture::full;
};

/// Does it say that something is not there, and not that reading failed?
bool is_absence(const Error& error);

/// Its text, as far as it is there: nothing where it has none, or its bytes are absent.
Result<std::optional<std::string>> text_of(const store::Reader& reader, const TurnSeen& turn);

/// Its text as an event shows it; erased where its bytes are absent.
Content content_of(const std::optional<std::string>& text, const TurnSeen& turn);

/// Its fields; none where their bytes are absent.
Result<compile::Fields> fields_of(const store::Reader& reader, const TurnSeen& turn);

/// Is this, that was read under a name, what stands in place of what was erased?
Result<bool> was_erased(const store::Reader& reader, const Oid& oid, std::string_view bytes);

/// The bytes of a content; nothing where they are absent, erased ones too.
Result<std::optional<std::string>> bytes_of(const store::Reader& reader, const Oid& oid);

/// One line of a text for a summary. A text that was hashed is its own summary.
Content summary_of(const Content& content);

}  // namespace spoor::report
