#pragma once

#include <utility>
#include <vector>

#include "api/json_writer.h"
#include "graph/undo.h"
#include "store/operation.h"

// What operations did, as JSON members that every command and every answer of batch writes alike.
namespace spoor::cli {

using api::JsonWriter;

/// Member `refs`: `[{name, before, after}]`.
void write_moves(JsonWriter& json, const std::vector<store::RefMove>& moves);

/// Member `copies`: `[{original, copy}]`.
void write_copies(JsonWriter& json, const std::vector<std::pair<store::Oid, store::Oid>>& copies);

/// One object: the step that was taken back, whose it was, and where its refs went by that.
void write_taken_back(JsonWriter& json, const graph::Step& step);

}  // namespace spoor::cli
