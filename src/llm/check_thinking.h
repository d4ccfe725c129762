#pragma once

#include <span>
#include <string>
#include <string_view>

#include "graph/repository.h"
#include "llm/render/render.h"

namespace spoor::llm {

/// Changes those `replayed` treatments of a request to `model` whose thinking blocks the provider
/// will not accept: to `unbound` if what precedes them is not what they were made from (after an
/// edit, a summary, a skip, on another branch, with other tools), to `unreadable` if the model does
/// not read them. See llm/wire/thinking.h.
///
/// Rebuilds the request of each answer, if `model` compares prefixes. Adds only a remark if a
/// request is not recorded or cannot be rebuilt. Accounts are not in the record: a block of another
/// account is noticed only in the reply (the fact `input_transformations`).
Result<void> check_thinking(const graph::Repository& repository, std::string_view model,
                            std::string_view body, std::span<const render::ThinkingBlock> thinking,
                            std::span<render::Treatment> treatments);

/// Returns a line for people about the blocks that are sent back in vain, or that the request may
/// be refused for; empty if there are none. `treatments` are those of check_thinking().
std::string describe_lost_thinking(std::span<const render::Treatment> treatments);

}  // namespace spoor::llm
