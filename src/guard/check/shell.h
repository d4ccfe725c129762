#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::guard::check {

/// A word of a command, as far as it can be known before it runs.
struct Word {
  std::string text;        ///< quotes and backslashes undone, expansions as they are written
  bool is_certain = true;  ///< false: a variable, a substitution or braces decide what it will be
  bool is_pattern =
      false;  ///< a `*`, `?` or `[` without quotes: it stands for names that there are

  bool operator==(const Word&) const = default;
};

/// `> file` and its like.
struct Redirect {
  std::string op;  ///< `>`, `>>`, `>|`, `&>`, `&>>`, `<>`, `<`
  Word to;

  bool operator==(const Redirect&) const = default;
};

/// One program that a script runs, with its words.
struct SimpleCommand {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::vector<Word> words;     ///< without the assignments before them; may be empty
  std::vector<Word> assigned;  ///< `A=b`, before them
  std::vector<Redirect> redirects;
  std::string input;               ///< of here-documents and here-strings
  bool is_input_certain = true;    ///< false: it is expanded, or piped into it
  std::size_t piped_from = kNone;  ///< the command before the `|`
  std::size_t used_by = kNone;  ///< the command that has it in a word: `$(…)`, `` `…` ``, `<(…)`
  std::size_t shell = 0;        ///< which it runs in: position in Script::shells
};

/// The commands of a script, in the order in which they begin.
struct Script {
  std::vector<SimpleCommand> commands;
  std::vector<std::size_t> shells = {0};  ///< of each shell the one around it; the first: itself
  bool is_whole = true;                   ///< false: too deep or too long to be read to its end
  std::vector<std::string> unread;  ///< what this reader does not read, in words: `a function`
};

/// Takes a script of a POSIX shell apart into words, redirections and separators. Sources:
/// POSIX.1-2017, XCU chapter 2; the manual of bash 5.2, chapter 3. Conditions and loops are gone
/// through as if each part ran once, and `[[ … ]]` is a word. Functions, `case`, arrays, sums that
/// are commands and quotes with escapes (`$'\n'`) are not read: `unread` names them. Whatever a
/// text holds gives something; nothing makes it fail. Linear in the text.
Script read_script(std::string_view text);

/// The bytes that stand for `{`, `,` and `}` without quotes in a word that may be expanded.
constexpr char kOpenBrace = '\x01';
constexpr char kBraceComma = '\x02';
constexpr char kCloseBrace = '\x03';

/// The word as it is written: the marks above become what they stand for.
std::string without_marks(std::string_view marked);

/// The words that bash(1) makes of one by brace expansion, without empty ones: `a{b,c}` is `ab` and
/// `ac`. Nullopt: more than 64 words, or more than 16 braces, which nobody types. Sequences
/// (`{1..9}`) are no part of this.
std::optional<std::vector<std::string>> expand_braces(std::string_view marked);

}  // namespace spoor::guard::check
