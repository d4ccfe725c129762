#include "base/find_text.h"

#include <cstring>

namespace spoor {

// Uses memmem() of glibc and musl: two-way string matching (M. Crochemore, D. Perrin, 1991).
std::size_t find_text(std::string_view text, std::string_view needle, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  const void* found =
      ::memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

bool holds_text(std::string_view text, std::string_view needle) {
  return find_text(text, needle) != std::string_view::npos;
}

}  // namespace spoor
