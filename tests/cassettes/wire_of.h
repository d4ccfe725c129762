#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "llm/profile.h"
#include "tests/cassettes/recording.h"

namespace cassettes {

/// Whose response it is.
struct Origin {
  std::string provider;  ///< a host, or the word that the file's path has for it; may be empty
  std::optional<spoor::llm::Wire> wire;
  std::string refused;  ///< without a wire: the reason
};

/// Told by the address where there is one, else by the body's shape; `path` helps with what has
/// neither.
Origin origin_of(const Recording& recording, const std::filesystem::path& path);

}  // namespace cassettes
