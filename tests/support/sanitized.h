#pragma once

namespace spoor::testing {

/// Is this a build with a sanitizer? These keep freed memory and shadow the rest, and take several
/// times as long: then neither is judged.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace spoor::testing
