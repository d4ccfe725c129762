#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"
#include "llm/render/dialogue.h"
#include "llm/render/recipe.h"

namespace spoor::llm::render {

/// The exact body of a request, and the changes made to render it.
struct Rendered {
  std::string body;
  std::vector<Treatment> treatments;
  std::vector<ThinkingBlock> thinking;  ///< of a body for Anthropic: see llm/check_thinking.h
  compile::Prompt prompt;  ///< the compiled prompt; shares its texts with the store's cache
};

/// Renders the request for a commit. Pure: the same bytes in every process and every version. A
/// renderer does not change when a newer one is added. Code::unavailable for an unknown renderer;
/// other errors as in Repository::compile.
Result<Rendered> render(const graph::Repository& repository,
                        const std::optional<compile::Oid>& commit, const Recipe& recipe);

/// Returns the renderer for new requests, for example `anthropic/3`.
std::string_view newest_renderer(Wire wire);

/// Returns the wire of a renderer; nullopt if it is unknown.
std::optional<Wire> wire_of_renderer(std::string_view renderer);

}  // namespace spoor::llm::render
