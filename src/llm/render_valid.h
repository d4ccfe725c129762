#pragma once

#include <optional>

#include "graph/repository.h"
#include "llm/render/render.h"

namespace spoor::llm {

/// Renders a request without the thinking that is not valid any more, which its provider would
/// refuse or ignore (check_thinking.h); the treatments have the reasons. Sets `replay_gap` of the
/// recipe. What is valid depends on what is left out before it, so it looks again until all is.
Result<render::Rendered> render_valid(const graph::Repository& repository,
                                      const std::optional<compile::Oid>& commit,
                                      render::Recipe& recipe);

}  // namespace spoor::llm
