#include "trace/command_words.h"

#include <algorithm>

namespace spoor::trace {
namespace {

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
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (end > 0) words.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

bool lists(std::string_view list, std::string_view word) {
  const auto words = split(list);
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::size_t behind(const Words& command, std::string_view words) {
  std::size_t at = 0;
  for (const std::string_view word : split(words)) {
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
  const auto wanted = split(options);
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string_view word = command[i];
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    const bool is_denied = equals < word.size() && lists("false none 0", word.substr(equals + 1));
    if (!is_denied) return true;
  }
  return false;
}

}  // namespace spoor::trace
