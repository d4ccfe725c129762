#include "audit/check/options.h"

#include <algorithm>

namespace spoor::audit::check {
namespace {

// The name that a long option means: it, or the first that it is the beginning of; empty: none.
std::string_view name_meant(std::string_view names, std::string_view given) {
  std::string_view shortened;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    const std::string_view name = names.substr(0, end);
    if (name == given) return name;
    if (shortened.empty() && given.size() > 3 && name.starts_with(given)) shortened = name;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return shortened;
}

bool is_meant(const Option& option, char letter, std::string_view name) {
  if (option.name.starts_with("--")) {
    return !name.empty() && option.name.size() > 2 && name.starts_with(option.name);
  }
  return letter != 0 && option.name.size() == 2 && option.name[1] == letter;
}

}  // namespace

bool Options::has(char letter, std::string_view name) const {
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& option) { return is_meant(option, letter, name); });
}

std::vector<Word> Options::values_of(char letter, std::string_view name) const {
  std::vector<Word> values;
  for (const Option& option : options) {
    if (option.value && is_meant(option, letter, name)) values.push_back(*option.value);
  }
  return values;
}

Options options_of(const std::vector<Word>& words, const OptionKinds& kinds, bool stops) {
  Options made;
  std::size_t i = 0;
  const auto next = [&]() -> std::optional<Word> {
    if (i + 1 >= words.size()) return std::nullopt;
    return words[++i];
  };
  for (; i < words.size(); ++i) {
    const Word& word = words[i];
    const std::string_view text = word.text;
    if (text == "--") {
      ++i;
      break;
    }
    if (text.starts_with("--")) {
      const std::size_t equals = text.find('=');
      if (equals != std::string_view::npos) {
        made.options.push_back({std::string(text.substr(0, equals)),
                                Word{std::string(text.substr(equals + 1)), word.is_certain}});
        continue;
      }
      const std::string_view name = name_meant(kinds.names, text);
      if (name.empty()) {
        made.options.push_back({std::string(text), std::nullopt});
      } else {
        made.options.push_back({std::string(name), next()});
      }
      continue;
    }
    if (text.size() < 2 || text.front() != '-') {
      if (stops) break;
      made.operands.push_back(word);
      continue;
    }
    for (std::size_t at = 1; at < text.size(); ++at) {
      const std::string name = std::string("-") + text[at];
      if (kinds.letters.find(text[at]) == std::string_view::npos) {
        made.options.push_back({name, std::nullopt});
        continue;
      }
      const std::string_view glued = text.substr(at + 1);
      if (glued.empty()) {
        made.options.push_back({name, next()});
      } else {
        made.options.push_back({name, Word{std::string(glued), word.is_certain}});
      }
      break;
    }
  }
  for (; i < words.size(); ++i) made.operands.push_back(words[i]);
  return made;
}

}  // namespace spoor::audit::check
