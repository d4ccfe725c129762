#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "agent/builtin/deadline.h"
#include "base/descriptor.h"
#include "base/result.h"
#include "compile/turn.h"

namespace spoor::agent::builtin {

/// The bytes of a file that are examined to decide whether it is text.
constexpr std::size_t kLookedAt = 8'000;

/// Returns the position of the first NUL byte within the first kLookedAt bytes; a file with one is
/// binary (the rule of git). Returns nullopt for text in any encoding.
std::optional<std::size_t> find_binary(std::string_view bytes);

/// Reads up to `most` bytes from the current position; fewer only at the end of the file. Returns
/// Code::io; Code::interrupted or Code::denied at the deadline.
Result<std::string> read_bytes(const Descriptor& file, std::size_t most, const Deadline& deadline);

/// Adds the fact `path`, unless the path is too long for a fact.
void note_path(compile::Facts& facts, std::string_view path);

}  // namespace spoor::agent::builtin
