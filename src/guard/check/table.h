#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "guard/check/shell.h"

// The effects of programs, from src/guard/check/effects.toml. A program that is not in the table is
// unknown: nothing is assumed to be harmless.
namespace spoor::guard::check {

/// The meaning of an option's value.
enum class Role {
  flag,      ///< no value; changes nothing that a check examines
  take,      ///< a value that is read, counted or shown
  write,     ///< a file that is written
  write_in,  ///< a folder in which something is written
  edit,      ///< no value, or one attached to it (`-i.bak`): the operands are written
  look,      ///< no value; the operands are only read
  glued,     ///< no value, or a number attached to it: `-j4`
  prefix,    ///< the beginning of the names of files that are written
  run,       ///< something is run that the words do not name
  host,      ///< an address that is contacted
  through,   ///< sets the way to an address
  folder,    ///< its working folder
  file,      ///< a file that is run
  code,      ///< code of the program's own language
  sql,       ///< a statement for a database
  define     ///< `NAME=VALUE`
};

/// The meaning of the words that are not options.
enum class Operands {
  read,   ///< read, counted or shown
  write,  ///< each is written; with `-r` everything below it
  mode,   ///< the first is a mode, the others are written
  first,  ///< the first is written
  last,   ///< the last is written, or is a folder for the others: `cp`
  move,   ///< as `last`, and the others are deleted
  link,   ///< as `last`, and the others get a second name
  some,   ///< something in the folder is written
  tree,   ///< something in each is written
  make,   ///< the last is a new folder; a single operand: the folder has its name
  command,
  variable,    ///< the first is the name of a variable that is set
  variables,   ///< each is the name of a variable that is set
  file,        ///< the first is a file that is run
  project,     ///< names defined by the project's own files
  package,     ///< names of packages of the default registry, or folders of the project
  host,        ///< addresses
  host_first,  ///< the first is an address; more words are a command there
  host_port,   ///< the first is an address, the second its port
  copy,        ///< `HOST:PATH` or paths; the last is written
  remote,      ///< addresses of repositories, or their names
  code_first,  ///< the first is code of the program's own language, unless an option is
  sql          ///< statements for a database
};

/// A row of the table: a program, or one of its verbs.
struct Program {
  std::string name;  ///< `git`, `git log`, `vim`
  std::string kind;  ///< the first name of its row: `less`, if `vim` does the same
  std::map<std::string, Role, std::less<>> options;
  bool is_strict = false;    ///< an option that is not in the row is unknown
  bool is_single = false;    ///< `-name` is one option, not four letters
  bool is_whole = false;     ///< names of options cannot be abbreviated
  bool edits = false;        ///< the operands are written, whatever the options
  bool reads_words = false;  ///< `@FILE` is replaced by the words in a file
  bool has_verbs = false;    ///< its first operand is a verb, with its own row
  Operands operands = Operands::read;
  std::size_t skip = 0;            ///< how many operands come before a command
  std::string separator;           ///< that precedes a command
  std::vector<std::string> known;  ///< patterns of settings (`user.name=*`) that change no program
  std::string language;            ///< of `code`
  std::string asks;                ///< the host that it contacts by default
  std::string unknown;  ///< why its effects cannot be known; empty: the row describes them
};

/// Returns the row of `name`, or null if the table does not have it. The table is read once, by any
/// thread.
const Program* program_named(std::string_view name);

/// Returns true if the row lists `setting` as known.
bool is_known_setting(const Program& program, std::string_view setting);

/// Returns true if, by the table, the variable changes only what a program shows or builds.
bool is_known_variable(std::string_view name);

/// Returns true for a variable that shells and programs obey: `PATH`, `LD_PRELOAD`,
/// `GIT_SSH_COMMAND`.
bool is_obeyed_variable(std::string_view name);

/// Returns true if the name suggests that a program may obey it (`X_OPTIONS`, `MY_EDITOR`). Effects
/// of such a variable are unknown if a program sees it.
bool is_telling_variable(std::string_view name);

bool has_role(const Program& program, Role role);

/// An option that was given.
struct Option {
  Role role = Role::flag;
  std::string name;  ///< `-o` or `--output`, in full
  Word value;        ///< empty: the option takes none
};

/// The words of a command, parsed as by getopt_long(3): letters may be combined (`-fsSLo X`), a
/// value may be attached to its letter, names may be abbreviated, `--` ends the options.
struct Options {
  std::vector<Option> options;
  std::vector<Word> operands;
  std::vector<std::string> unknown;  ///< that are missing in a strict row

  bool has(std::string_view name) const;
};

/// Parses `words`. If `stops`, the first operand ends the options, as for a program that runs
/// another.
Options options_of(const Program& program, const std::vector<Word>& words, bool stops);

/// Reads a table, for tests. Returns Code::invalid with the line of a mistake.
Result<void> check_table(std::string_view toml);

}  // namespace spoor::guard::check
