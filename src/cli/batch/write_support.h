#pragma once

#include <optional>
#include <string>

#include "cli/batch/operations.h"

namespace spoor::cli::batch {

// What the operations that write have in common.

/// JSON text as it stands in the request; empty where there is none.
std::string json_of(const json::Value& value);

/// `time`, `message`, `metadata` and `tags`, and these with `author` for a directive.
Result<std::optional<Timestamp>> time_of(const Request& request);
compile::Extra extra_of(const Request& request);
Result<graph::Signed> signed_by(const Request& request);

/// The branch of a request, as a full ref, and where it is with this draft.
struct Place {
  std::string branch;
  std::string ref;
  std::optional<Oid> tip;
};
Result<Place> place_of(Context& context, graph::Draft& draft, const Request& request);

/// What every write that made a commit answers; `as` names it.
void answer(Context& context, const Place& place, const Request& request, const Oid& made,
            JsonWriter& json);

}  // namespace spoor::cli::batch
