#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::audit {

/// What stands where a secret stood: `[REDACTED:rule:number]`.
std::string placeholder(std::string_view rule, std::uint64_t number);

/// A piece of a text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const Span&) const = default;
};

/// The placeholders in `text`, in order. Only one whose rule is among `rules` is one: whatever else
/// stands between such brackets is text like any other.
std::vector<Span> placeholders_in(std::string_view text, const std::vector<std::string>& rules);

}  // namespace spoor::audit
