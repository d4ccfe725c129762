#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guard/check/commands.h"
#include "guard/check/hosts.h"

namespace spoor::guard::check {

/// A file or folder that is made, changed, moved or taken away.
struct Change {
  /// How much of a folder it is.
  enum class Reach {
    itself,
    beneath,  ///< and all that lies in it: `mv`, `rm -r`
    some,     ///< or something in it, nobody can tell what: `tar x`, `git pull`
    made,     ///< or files in it that programs make again: `*.pyc`
    named,    ///< it gets a second name (`ln -s`), by which it may be changed; it stays as it is
  };
  std::string path;    ///< as it was given
  std::string folder;  ///< that it is meant from; empty: the root; `?`: not known
  bool by_command = false;
  bool is_certain = true;   ///< false: a variable or a substitution decides what it is
  bool is_pattern = false;  ///< it may have `*`, `?` and `[…]`, which a shell expands
  Reach reach = Reach::itself;

  bool operator==(const Change&) const = default;
};

/// A file that is run: a script, or a program that is named by its path.
struct RunFile {
  std::string path;
  std::string folder;  ///< as in Change

  bool operator==(const RunFile&) const = default;
};

/// What a command does, as far as the table of programs (table.h) and its words tell.
struct Effects {
  std::vector<Change> changes;
  std::vector<Host> hosts;
  std::vector<RunFile> runs;
  std::string sql;                   ///< statements that a database is given
  std::vector<std::string> unknown;  ///< what nobody can tell, in words; empty: the rest is all
};

Effects effects_of(const Command& command);

/// A path whose beginning is the folder it is meant from (`$PWD/x`, `$(pwd)/x`), without it.
Word without_own_folder(const Word& word);

/// Does it lead to where programs put what nobody keeps: `$TMPDIR/x`, `$(mktemp -d)`?
bool is_temporary_by_name(const Word& word);

}  // namespace spoor::guard::check
