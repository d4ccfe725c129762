#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spoor::guard::check {

/// A word of a command, as far as it is known before the command runs.
struct Word {
  std::string text;         ///< without quotes and backslashes; expansions are not expanded
  bool is_certain = true;   ///< false: it depends on a variable, a substitution or braces
  bool is_pattern = false;  ///< a `*`, `?` or `[` without quotes, which expands to existing names

  bool operator==(const Word&) const = default;
};

/// `> file` and similar.
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
  std::size_t used_by = kNone;  ///< the command that uses it in a word: `$(…)`, `` `…` ``, `<(…)`
  std::size_t shell = 0;        ///< the shell that runs it: position in Script::shells
};

/// The commands of a script, in the order in which they begin.
struct Script {
  std::vector<SimpleCommand> commands;
  std::vector<std::size_t> shells = {0};  ///< the parent of each shell; the first is its own parent
  bool is_whole = true;                   ///< false: too deep or too long to be read to its end
  std::vector<std::string> unread;        ///< constructs that are not read, in words: `a function`
};

/// Parses a script of a POSIX shell into words, redirections and separators. Sources: POSIX.1-2017,
/// XCU chapter 2; the manual of bash 5.2, chapter 3. Each part of a condition or loop is read as if
/// it ran once, and `[[ … ]]` is a word. Functions, `case`, arrays, arithmetic commands and quotes
/// with escapes (`$'\n'`) are not read: `unread` names them. Never fails, whatever the text. Linear
/// in the text.
Script read_script(std::string_view text);

/// Marks for unquoted `{`, `,` and `}` in a word that may be expanded.
constexpr char kOpenBrace = '\x01';
constexpr char kBraceComma = '\x02';
constexpr char kCloseBrace = '\x03';

/// Returns the word as written, with the marks above replaced by their characters.
std::string without_marks(std::string_view marked);

/// Returns the words that brace expansion of bash(1) makes of one, without empty ones: `a{b,c}`
/// gives `ab` and `ac`. Returns nullopt for more than 64 words or 16 braces, which people do not
/// type. Sequences (`{1..9}`) are not expanded.
std::optional<std::vector<std::string>> expand_braces(std::string_view marked);

}  // namespace spoor::guard::check
