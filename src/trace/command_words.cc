#include "trace/command_words.h"

#include <algorithm>

namespace spoor::trace {
namespace {

// Takes the next word off a list; empty at its end.
std::string_view take_word(std::string_view& list) {
  list.remove_prefix(std::min(list.find_first_not_of(' '), list.size()));
  const std::string_view word = list.substr(0, list.find(' '));
  list.remove_prefix(word.size());
  return word;
}

// Returns true for an option that precedes a subcommand and takes a word: `git -C DIR merge`, `npm
// --prefix DIR test`, `kubectl -n NAME apply`.
bool takes_word(std::string_view option) {
  return lists(
      "-C -c -n --namespace --context --kube-context --kubeconfig --prefix --chdir --cwd --dir "
      "--directory --filter -F --workspace -R --repo --project --region --profile",
      option);
}

// Returns the index of the next word from `at` on that is not an option; the size if there is none.
std::size_t next_plain(const Words& command, std::size_t at) {
  while (at < command.size() && command[at].starts_with('-')) {
    at += takes_word(command[at]) ? 2 : 1;
  }
  return std::min(at, command.size());
}

}  // namespace

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> words;
  for (auto word = take_word(list); !word.empty(); word = take_word(list)) words.push_back(word);
  return words;
}

bool lists(std::string_view list, std::string_view word) {
  for (auto each = take_word(list); !each.empty(); each = take_word(list)) {
    if (each == word) return true;
  }
  return false;
}

std::size_t behind(const Words& command, std::string_view words) {
  std::size_t at = 0;
  for (auto word = take_word(words); !word.empty(); word = take_word(words)) {
    if (at > 0) at = next_plain(command, at);
    if (at >= command.size() || command[at] != word) return 0;
    ++at;
  }
  return at;
}

std::vector<std::string_view> plain_words(const Words& command) {
  std::vector<std::string_view> words;
  if (command.empty()) return words;
  words.push_back(command.front());
  for (std::size_t at = next_plain(command, 1); at < command.size();
       at = next_plain(command, at + 1)) {
    words.push_back(command[at]);
  }
  return words;
}

bool says(const Words& command, std::string_view options) {
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string_view word = command[i];
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    if (!lists(options, name)) continue;
    const bool is_denied = equals < word.size() && lists("false none 0", word.substr(equals + 1));
    if (!is_denied) return true;
  }
  return false;
}

}  // namespace spoor::trace
