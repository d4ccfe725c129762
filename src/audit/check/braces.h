#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::audit::check {

/// The words that a word with braces stands for: `a{b,c}d` is `abd acd`. `plain` are the places of
/// its `{`, `,` and `}` that have no quotes, in their order. A range (`{1..9}`) becomes `*`: its
/// words are known to be names, and which ones is seldom of use. Without a pair of braces that has
/// either, the word itself. Empty: there are more than 1'024, or it is too long. Source: the manual
/// of bash 5.2, 3.5.1.
std::vector<std::string> expand_braces(std::string_view word,
                                       const std::vector<std::size_t>& plain);

}  // namespace spoor::audit::check
