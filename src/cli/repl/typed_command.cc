#include "cli/repl/typed_command.h"

#include <optional>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/repl/words.h"

namespace spoor::cli {
namespace {

constexpr std::string_view kGap = " \t\r\n";

std::size_t skip(std::string_view text, std::size_t from) {
  return std::min(text.find_first_not_of(kGap, from), text.size());
}

// Returns the number of words between the verb and its prose; nullopt if it takes none.
std::optional<std::size_t> words_before_prose(const Command& command) {
  std::size_t before = 0;
  for (const Option& option : command.options) {
    if (!option.is_positional()) continue;
    if (option.takes == Takes::prose) return before;
    ++before;
  }
  return std::nullopt;
}

// Returns the offset of the command's prose in the text, if it has any.
std::optional<std::size_t> find_prose(std::string_view text, const Words& split) {
  if (split.words.empty()) return std::nullopt;
  const Command* command = find_command(split.words.front().text);
  if (command == nullptr) return std::nullopt;
  const auto before = words_before_prose(*command);
  if (!before || split.words.size() <= *before) return std::nullopt;
  for (std::size_t i = 1; i <= *before; ++i) {
    if (split.words[i].text.starts_with('-')) return std::nullopt;
  }
  const std::size_t begin = text.find_first_not_of(" \t\r", split.words[*before].end);
  const bool is_shells = begin == std::string_view::npos ||
                         std::string_view("\n'\"-").find(text[begin]) != std::string_view::npos;
  if (is_shells) return std::nullopt;
  return begin;
}

}  // namespace

TypedCommand read_command(std::string_view text, bool has_model) {
  TypedCommand typed;
  typed.end = text.size();
  const std::size_t begin = skip(text, 0);
  if (begin == text.size()) return typed;
  const bool has_slash = text[begin] == '/';
  if (has_model && !has_slash) {
    typed.is = TypedCommand::Is::turn;
    return typed;
  }

  std::size_t at = begin + (has_slash ? 1 : 0);
  Words split = split_words(text.substr(at));
  if (split.words.size() > 1 && split.words.front().text == "spoor") {
    at += split.words[1].begin;
    split = split_words(text.substr(at));
  }
  if (!split.words.empty()) typed.is = TypedCommand::Is::command;
  const auto prose = find_prose(text.substr(at), split);
  for (const Word& word : split.words) {
    if (prose && word.begin >= *prose) break;
    typed.words.push_back(word.text);
  }
  if (prose) {
    // The table would parse a word like `--help` as an option; here it is text.
    typed.words.emplace_back("--");
    typed.words.emplace_back(text.substr(at + *prose));
    return typed;
  }
  typed.is_open = split.is_open;
  typed.end = std::min(at + split.end + 1, text.size());
  return typed;
}

}  // namespace spoor::cli
