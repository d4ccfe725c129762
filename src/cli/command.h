#pragma once

#include <span>
#include <string_view>

#include "cli/arguments.h"
#include "cli/error.h"

namespace spoor::cli {

class Session;

/// What a value is, so that completion can offer some and the parser refuse others.
enum class Takes : unsigned char {
  text,
  prose,     ///< text; in the interactive session the rest of the line, as it stands
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
  choice,  ///< one of Option::choices
};

/// How often an option or a positional may stand on the line.
enum class Count : unsigned char {
  optional,  ///< once or not at all
  one,       ///< exactly once (positionals)
  many,      ///< any number of times
  some,      ///< at least once (positionals)
};

/// One thing a command takes. With a leading `--` in its name it is an option,
/// otherwise a positional; positionals are filled in the order of the table.
struct Option {
  const char* name;   ///< "--limit" or "revision"
  const char* value;  ///< what stands for the value in help, "" for a flag
  const char* help;   ///< one line, lower case, no full stop
  char letter = 0;    ///< the short form, for the common ones only
  Takes takes = Takes::text;
  Count count = Count::optional;
  const char* choices = "";  ///< for Takes::choice: "auto|always|never"

  constexpr bool is_positional() const { return name[0] != '-'; }
  constexpr bool is_flag() const { return !is_positional() && value[0] == '\0'; }
};

/// The heading a command stands under in `spoor help`.
enum class Group : unsigned char { start, write, read, history, care, session, program, hidden };

struct Example {
  const char* command;
  const char* says;
};

/// One verb. All of them stand in one table (commands.h), which the shell, the
/// interactive session, help, man pages and completion read.
struct Command {
  const char* name;
  const char* summary;  ///< one line: a sentence without its full stop
  std::span<const Option> options;
  Result<void> (*run)(Session&, const Arguments&);
  Group group = Group::read;
  bool pages = false;        ///< its output may be long: through the pager
  const char* details = "";  ///< paragraphs for help and the man page
  std::span<const Example> examples = {};
};

}  // namespace spoor::cli
