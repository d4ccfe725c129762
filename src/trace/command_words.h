#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::trace {

/// A program and its arguments.
using Words = std::vector<std::string>;

/// How many words `command` begins with that say `words` (blanks between them), options in between
/// and their values counted: of `kubectl -n prod apply -f x` and `kubectl apply` 4. 0: it does not.
std::size_t behind(const Words& command, std::string_view words);

/// The words that are no options, nor values of options that stand before a subcommand.
std::vector<std::string_view> plain_words(const Words& command);

/// Is one of `options` (blanks between them) there, as `--name` or `--name=VALUE`? A value of
/// `false`, `none` or `0` says that it is not.
bool says(const Words& command, std::string_view options);

/// Does `list` (blanks between its words) have `word`?
bool lists(std::string_view list, std::string_view word);

/// The words of `list`, which has blanks between them.
std::vector<std::string_view> split(std::string_view list);

}  // namespace spoor::trace
