#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace spoor {

/// The most bytes that a store or an imported file can bring into memory at once. A small store can
/// contain a large text, because equal parts are stored once and rows are compressed. The setting
/// `max-text` raises each limit; a store may not contain that setting.
struct ReadLimits {
  /// The limit for one text, and for all texts of one prompt together.
  std::uint64_t text = 256U << 20U;
};

/// The most bytes of one line of a session file. Parsing it as JSON takes a few times as much.
constexpr std::uint64_t kMostLineBytes = 64U << 20U;

/// Returns the Code::denied for exceeding the limits: `what` has `size` bytes.
Error over_limit(const std::string& what, std::uint64_t size, const ReadLimits& limits);

}  // namespace spoor
