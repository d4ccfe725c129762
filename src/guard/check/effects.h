#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard/check/commands.h"
#include "guard/check/hosts.h"

namespace spoor::guard::check {

/// A file or folder that is made, changed, moved or deleted.
struct Change {
  /// How much of a folder changes.
  enum class Reach {
    itself,
    beneath,  ///< and everything in it: `mv`, `rm -r`
    some,     ///< or something unknown in it: `tar x`, `git pull`
    made,     ///< or files in it that programs can make again: `*.pyc`
    named,    ///< it gets a second name (`ln -s`), through which it may be changed; it stays
              ///< unchanged
  };
  std::string path;    ///< as given
  std::string folder;  ///< the base of a relative path; empty: the root; `?`: not known
  bool by_command = false;
  bool is_certain = true;   ///< false: it depends on a variable or a substitution
  bool is_pattern = false;  ///< it may contain `*`, `?` and `[…]`, which a shell expands
  Reach reach = Reach::itself;

  bool operator==(const Change&) const = default;
};

/// A file that is run: a script, or a program given by its path.
struct RunFile {
  std::string path;
  std::string folder;  ///< as in Change

  bool operator==(const RunFile&) const = default;
};

/// The effects of a command, as far as the table of programs (table.h) and its words show.
struct Effects {
  std::vector<Change> changes;
  std::vector<Host> hosts;
  std::vector<RunFile> runs;
  std::string sql;                   ///< statements for a database
  std::vector<std::string> unknown;  ///< unknown effects, in words; empty: the rest is complete
};

Effects effects_of(const Command& command);

/// Returns a path without the working folder at its beginning (`$PWD/x`, `$(pwd)/x`).
Word without_own_folder(const Word& word);

/// Returns true if the word leads to a folder for temporary files: `$TMPDIR/x`, `$(mktemp -d)`.
bool is_temporary_by_name(const Word& word);

}  // namespace spoor::guard::check
