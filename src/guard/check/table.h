#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "guard/check/shell.h"

// What programs do, as src/guard/check/effects.toml says it. What the table does not have is
// unknown: nothing is assumed to be harmless.
namespace spoor::guard::check {

/// What the word of an option is.
enum class Role {
  flag,      ///< it takes none, and changes nothing that a check looks at
  take,      ///< it takes one that is read, counted or shown
  write,     ///< a file that is written
  write_in,  ///< a folder in which something is written
  edit,      ///< none, or one glued to it (`-i.bak`): the operands are written
  look,      ///< none: with it the operands are only looked at
  glued,     ///< none, or a number glued to it: `-j4`
  prefix,    ///< the beginning of the names of files that are written
  run,       ///< something is run that the words do not tell
  host,      ///< an address that is asked
  through,   ///< says by which way an address is asked
  folder,    ///< the folder that it works in
  file,      ///< a file that is run
  code,      ///< code of the program's own language
  sql,       ///< a statement for a database
  define     ///< `NAME=VALUE`
};

/// What the words that are no options are.
enum class Operands {
  read,        ///< read, counted or shown
  write,       ///< each is written; with `-r` all beneath it
  mode,        ///< the first is a mode, the others are written
  first,       ///< the first is written
  last,        ///< the last is written, or is a folder for the others: `cp`
  move,        ///< as `last`, and the others are taken away
  link,        ///< as `last`, and the others get a second name
  some,        ///< something in the folder is written
  tree,        ///< something in each is written
  make,        ///< the last is a new folder; without two the first one's name
  command,     ///< a command
  variable,    ///< the first is the name of a variable that is set
  variables,   ///< each is
  file,        ///< the first is a file that is run
  project,     ///< names of what the project's own files say
  package,     ///< names of packages of the usual registry, or folders of the project
  host,        ///< addresses
  host_first,  ///< the first is an address; more is a command there
  host_port,   ///< the first is an address, the second its port
  copy,        ///< `HOST:PATH` or paths; the last is written
  remote,      ///< addresses of repositories, or their names
  code_first,  ///< the first is code of its own language, unless an option is
  sql          ///< statements for a database
};

/// A row of the table: a program, or one of its verbs.
struct Program {
  std::string name;  ///< `git`, `git log`, `vim`
  std::string kind;  ///< the first name of its row: `less`, where `vim` does the same
  std::map<std::string, Role, std::less<>> options;
  bool is_strict = false;    ///< an option that is not in the row is unknown
  bool is_single = false;    ///< `-name` is one option, not four letters
  bool is_whole = false;     ///< names of options cannot be shortened
  bool edits = false;        ///< the operands are written, whatever its options
  bool reads_words = false;  ///< `@FILE` stands for the words in a file
  bool has_verbs = false;    ///< its first operand is a verb, with a row of its own
  Operands operands = Operands::read;
  std::size_t skip = 0;            ///< how many operands come before a command
  std::string separator;           ///< that stands before a command
  std::vector<std::string> known;  ///< patterns of settings (`user.name=*`) that change no program
  std::string language;            ///< of `code`
  std::string asks;                ///< the host that it asks of itself
  std::string unknown;             ///< why nobody can tell what it does; empty: the row tells
};

/// The row of `name`; null: the table does not have it. The table is read once, by any thread.
const Program* program_named(std::string_view name);

/// Is `setting` one of those that the row knows?
bool is_known_setting(const Program& program, std::string_view setting);

/// Does the table say that a variable with this name changes nothing but what a program shows or
/// builds?
bool is_known_variable(std::string_view name);

/// Is it a variable that shells and programs obey: `PATH`, `LD_PRELOAD`, `GIT_SSH_COMMAND`?
bool is_obeyed_variable(std::string_view name);

/// Does its name say that some program may obey it (`X_OPTIONS`, `MY_EDITOR`)? Such a one is
/// unknown where a program sees it.
bool is_telling_variable(std::string_view name);

/// Does the program have an option with this role?
bool has_role(const Program& program, Role role);

/// An option that was given.
struct Option {
  Role role = Role::flag;
  std::string name;  ///< `-o` or `--output`, in full
  Word value;        ///< empty: it takes none
};

/// The words of a command, taken apart as getopt_long(3) does: letters stand together (`-fsSLo X`),
/// a word may be glued to its letter, names may be shortened, `--` ends the options.
struct Options {
  std::vector<Option> options;
  std::vector<Word> operands;
  std::vector<std::string> unknown;  ///< that a strict row does not have

  bool has(std::string_view name) const;
};

/// `stops`: the first operand ends the options, as for a program that runs another.
Options options_of(const Program& program, const std::vector<Word>& words, bool stops);

/// Reads a table. For tests; a mistake is Code::invalid, with its line.
Result<void> check_table(std::string_view toml);

}  // namespace spoor::guard::check
