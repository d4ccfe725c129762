#pragma once

#include "api/json_writer.h"
#include "cli/session.h"
#include "llm/render/dialogue.h"

namespace spoor::cli {

using api::JsonWriter;

/// Writes `{kind, hash, why, reason, paths}` as the next value (docs/cli-json.md).
void write_treatment(JsonWriter& json, const llm::render::Treatment& treatment);

/// Prints a line about the treatment to standard error.
void print_treatment(Session& session, const api::Workspace& workspace,
                     const llm::render::Treatment& treatment);

}  // namespace spoor::cli
