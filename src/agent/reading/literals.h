#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace spoor::agent::reading {

/// The notation of a value that a model wrote.
enum class Notation {
  python,  ///< `'a'`, `"a"`, `"""a"""`, `True`, `None`, `(1, 2)`; JSON's words count, too
  gemma,   ///< `<|"|>a<|"|>`, keys and other texts without quotes
};

/// Reads the literal that begins at `at` and moves `at` to its end. Returns canonical JSON; nullopt
/// for anything else, such as a name, an operator, or nesting of more than 64 levels. Linear in the
/// text of the literal.
std::optional<std::string> read_literal(std::string_view text, std::size_t& at, Notation notation);

}  // namespace spoor::agent::reading
