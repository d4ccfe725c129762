#pragma once

#include <span>

#include "cli/arguments.h"
#include "cli/error.h"

namespace spoor::cli {

class Session;

using api::Count;
using api::Example;
using api::Group;
using api::Takes;

/// One verb. All verbs are in one table (commands.h), which the shell, the interactive session,
/// help, man pages and completion read.
struct Command {
  const char* name;
  const char* summary;  ///< one line: a sentence without its full stop
  std::span<const Option> options;
  Result<void> (*run)(Session&, const Arguments&);
  Group group = Group::read;
  bool pages = false;        ///< its output may be long and uses the pager
  const char* details = "";  ///< paragraphs for help and the man page
  std::span<const Example> examples = {};
  /// False for one that talks to a person or uses another store than the nearest: with `--json`,
  /// programs run the others through `spoor batch`.
  bool is_callable = true;
};

}  // namespace spoor::cli
