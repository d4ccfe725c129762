#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace spoor {

/// How many bytes a store, or a file that is imported, can bring into memory at once. A small store
/// may hold a large text: equal parts are stored once, and rows are compressed. Each limit can be
/// raised by the setting `max-text`, which no store may carry.
struct ReadLimits {
  /// Of one text, and of all texts of one prompt.
  std::uint64_t text = 256U << 20U;
};

/// The most bytes of one line of a session file. Reading it as JSON takes a few times as many.
constexpr std::uint64_t kMostLineBytes = 64U << 20U;

/// The Code::denied of what would take more than that: `what` is `size` bytes.
Error over_limit(const std::string& what, std::uint64_t size, const ReadLimits& limits);

}  // namespace spoor
