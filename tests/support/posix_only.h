#pragma once

namespace spoor::testing {

/// Whether the program uses nothing that only Linux has (SPOOR_POSIX_ONLY): commands are not
/// confined then, and locks of this process are not seen by it.
#ifdef SPOOR_POSIX_ONLY
inline constexpr bool kIsPosixOnly = true;
#else
inline constexpr bool kIsPosixOnly = false;
#endif

}  // namespace spoor::testing
