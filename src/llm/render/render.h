#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"
#include "llm/render/dialogue.h"
#include "llm/render/recipe.h"

namespace spoor::llm::render {

/// The exact body of a request, and what was done to make it.
struct Rendered {
  std::string body;
  std::vector<Treatment> treatments;
  compile::Prompt prompt;  ///< what was compiled; its texts are shared with the store's cache
};

/// What a model would be sent at a commit. Pure: the same bytes for ever, in every process. An old
/// renderer stays what it was when a new one is numbered; Code::unavailable for one that is not
/// known. Errors of compiling as Repository::compile has them.
Result<Rendered> render(const graph::Repository& repository,
                        const std::optional<compile::Oid>& commit, const Recipe& recipe);

/// The renderer that new requests are written with, for example `anthropic/2`.
std::string_view newest_renderer(Wire wire);

/// The wire that a renderer writes; nothing for one that is not known.
std::optional<Wire> wire_of_renderer(std::string_view renderer);

}  // namespace spoor::llm::render
