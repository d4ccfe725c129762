#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "agent/builtin/deadline.h"
#include "agent/builtin/descriptor.h"
#include "base/result.h"
#include "compile/turn.h"

namespace spoor::agent::builtin {

/// How much of a file is looked at to say whether it is text.
constexpr std::size_t kLookedAt = 8'000;

/// Where the first NUL byte stands within the first kLookedAt bytes: what has one is no text (as
/// git tells it). Nothing: it is text, whatever its encoding.
std::optional<std::size_t> find_binary(std::string_view bytes);

/// Up to `most` bytes from where the file stands; fewer only at its end. Code::io; interrupted or
/// denied at the deadline.
Result<std::string> read_bytes(const Descriptor& file, std::size_t most, const Deadline& deadline);

/// Notes a path as a fact, unless it is so long that facts would be.
void note_path(compile::Facts& facts, std::string_view path);

}  // namespace spoor::agent::builtin
