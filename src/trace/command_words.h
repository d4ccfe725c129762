#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::trace {

/// A program and its arguments.
using Words = std::vector<std::string>;

/// Returns how many words at the start of `command` match `words` (separated by blanks), including
/// options in between and their values: 4 for `kubectl -n prod apply -f x` and `kubectl apply`.
/// Returns 0 if `command` does not begin with `words`.
std::size_t behind(const Words& command, std::string_view words);

/// Returns the words that are neither options nor values of options before a subcommand.
std::vector<std::string_view> plain_words(const Words& command);

/// Returns true if one of `options` (separated by blanks) is given, as `--name` or `--name=VALUE`.
/// A value of `false`, `none` or `0` turns the option off.
bool says(const Words& command, std::string_view options);

/// Returns true if `list` (words separated by blanks) contains `word`.
bool lists(std::string_view list, std::string_view word);

/// Returns the words of `list`, which are separated by blanks.
std::vector<std::string_view> split(std::string_view list);

}  // namespace spoor::trace
