#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::trace {

/// Returns the text that replaces a secret: `[REDACTED:rule:number]`.
std::string placeholder(std::string_view rule, std::uint64_t number);

/// A piece of a text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const Span&) const = default;
};

/// Returns true if `id` has the form of a rule's id: at most 40 small letters, digits and hyphens.
bool is_rule_id(std::string_view id);

/// A placeholder in a text.
struct Placeholder {
  std::string_view rule;  ///< a part of the text
  Span span;
};

/// Returns the parts of `text` that have the form of a placeholder, of any rule, in order.
std::vector<Placeholder> placeholders_in(std::string_view text);

}  // namespace spoor::trace
