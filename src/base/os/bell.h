#pragma once

#include <chrono>
#include <cstdint>

namespace spoor::os {

/// Waits at a word in memory that processes share. Returns when wake() is called for one of the
/// bits in `who`, at once if the word is not `seen`, and after `most` (up to a second or so) at the
/// latest; it may also return for no reason. Linux: futex(2). Elsewhere: looks at the word every
/// millisecond, whatever the bits.
void wait_at(std::uint32_t& word, std::uint32_t seen, std::uint32_t who,
             std::chrono::nanoseconds most);

/// Wakes those who wait at the word for one of the bits in `whom`. Change the word first: elsewhere
/// than on Linux, only that is seen.
void wake(std::uint32_t& word, std::uint32_t whom);

}  // namespace spoor::os
