#pragma once

#include <string_view>

namespace spoor::api {

/// The type of a value, so that completion can offer some and the parser refuse others.
enum class Takes : unsigned char {
  text,
  prose,     ///< text; in the interactive session the rest of the line, unsplit
  number,    ///< a decimal integer, not negative
  positive,  ///< a decimal integer from 1 on
  time,      ///< RFC 3339, a date, or `2 hours ago`
  revision,  ///< anything that names a commit
  branch,
  run,   ///< a run of an agent, or anything that names a commit
  type,  ///< a commit's type: user, reasoning, …
  path,
  verb,
  config_key,
  choice,  ///< one of Parameter::choices
};

/// How often a parameter may be given.
enum class Count : unsigned char {
  optional,  ///< at most once
  one,       ///< exactly once (positionals)
  many,      ///< any number of times
  some,      ///< at least once (positionals)
};

/// A parameter of a command. A name that begins with `--` is an option, otherwise a positional;
/// positionals are filled in the order of the table.
struct Parameter {
  const char* name;   ///< "--limit" or "revision"
  const char* value;  ///< the value's name in help, "" for a flag
  const char* help;   ///< one line, lower case, no full stop
  char letter = 0;    ///< the short form, for the common ones only
  Takes takes = Takes::text;
  Count count = Count::optional;
  const char* choices = "";  ///< for Takes::choice: "auto|always|never"

  constexpr bool is_positional() const { return name[0] != '-'; }
  constexpr bool is_flag() const { return !is_positional() && value[0] == '\0'; }

  /// The name without dashes: a JSON member.
  constexpr std::string_view key() const { return is_positional() ? name : name + 2; }
};

struct Example {
  const char* command;
  const char* says;
};

/// The heading of a command in `spoor help`.
enum class Group : unsigned char { start, write, read, history, care, session, program, hidden };

}  // namespace spoor::api
