#pragma once

#include "api/json_writer.h"
#include "llm/render/dialogue.h"

namespace spoor::cli {

using api::JsonWriter;

/// Writes `{kind, hash, why}` as the next value (docs/cli-json.md).
void write_treatment(JsonWriter& json, const llm::render::Treatment& treatment);

}  // namespace spoor::cli
