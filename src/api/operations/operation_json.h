#pragma once

#include <utility>
#include <vector>

#include "api/json_writer.h"
#include "graph/undo.h"
#include "store/operation.h"

// JSON members for the effects of operations, shared by every command and every answer of batch.
namespace spoor::api {

/// Writes member `refs`: `[{name, before, after}]`.
void write_moves(JsonWriter& json, const std::vector<store::RefMove>& moves);

/// Writes member `copies`: `[{original, copy}]`.
void write_copies(JsonWriter& json, const std::vector<std::pair<store::Oid, store::Oid>>& copies);

/// Writes one object: the reverted step, its author, and the moves of its refs by the revert.
void write_taken_back(JsonWriter& json, const graph::Step& step);

}  // namespace spoor::api
