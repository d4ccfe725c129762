#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/check/shell.h"

namespace spoor::audit::check {

/// Which options of a program take a word. Of those that are not named none does.
struct OptionKinds {
  std::string_view letters;  ///< `-o X` and `-oX`
  std::string_view names;    ///< `--output X`; with their `--`, a blank between two
};

/// An option that was given: `-o` or `--output`, and its word where it takes one.
struct Option {
  std::string name;
  std::optional<Word> value;

  bool operator==(const Option&) const = default;
};

/// The words of a command, taken apart as getopt_long(3) does: letters stand together (`-fsSLo X`),
/// a word may be glued to its letter, names may be shortened, `--` ends the options.
struct Options {
  std::vector<Option> options;
  std::vector<Word> operands;

  bool has(char letter, std::string_view name) const;

  /// What an option was given, each time that it stands there.
  std::vector<Word> values_of(char letter, std::string_view name) const;
};

/// `stops`: the first operand ends the options, as for a program that runs another.
Options options_of(const std::vector<Word>& words, const OptionKinds& kinds, bool stops = false);

}  // namespace spoor::audit::check
