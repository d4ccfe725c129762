#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/check/commands.h"

namespace spoor::audit::check {

/// A file or folder that is made, changed, moved or taken away.
struct Change {
  /// How much of a folder it is.
  enum class Reach {
    itself,
    beneath,  ///< and all that lies in it: `mv`, `rm -r`
    some,     ///< or something in it, nobody can tell what: `tar x`, `git pull`
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

/// What a command changes, as far as its words tell: by redirections, and as `rm`, `cp`, `sed -i`,
/// `curl -o`, `tar`, `git checkout` and their like do (docs/checks.md).
void add_changes_of(const Command& command, std::vector<Change>& to);

/// A path whose beginning is the folder it is meant from (`$PWD/x`, `$(pwd)/x`), without it.
Word without_own_folder(const Word& word);

/// Does it lead to where programs put what nobody keeps: `$TMPDIR/x`, `$(mktemp -d)`?
bool is_temporary_by_name(const Word& word);

}  // namespace spoor::audit::check
