#include "cli/arguments.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/near_miss.h"
#include "cli/command.h"

namespace spoor::cli {
namespace {

constexpr std::array kGlobal = {
    Option{"--store", "PATH", "the store to use (default: the nearest .spoor, else your own)", 's',
           Takes::path},
    Option{"--at-op", "OP", "use the branches and tags as of this operation (spoor oplog)"},
    Option{"--color", "WHEN", "colour the output: auto, always or never", 0, Takes::choice,
           Count::optional, "auto|always|never"},
    Option{"--no-pager", "", "do not use a pager"},
    Option{"--raw", "", "print stored text unchanged, with control characters"},
    Option{"--help", "", "print help for this command", 'h'},
    Option{"--version", "", "print the version"},
};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Parses one command line.
class Parser {
 public:
  Parser(std::string_view verb, std::span<const Option> options, std::span<const std::string> words,
         const Environment& environment)
      : verb_(verb), options_(options), words_(words), environment_(environment) {}

  Result<Arguments> command_arguments() {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (!only_positionals_ && word == "--") {
        only_positionals_ = true;
      } else if (!only_positionals_ && word.starts_with("--")) {
        TRY(long_option(word));
      } else if (!only_positionals_ && word.size() > 1 && word.front() == '-') {
        TRY(letters(word));
      } else {
        TRY(positional(word));
      }
    }
    TRY(nothing_missing());
    return std::move(arguments_);
  }

  // Parses options up to the first word that is not one.
  Result<CommandLine> leading_options() {
    while (next_ < words_.size() && words_[next_].size() > 1 && words_[next_].front() == '-') {
      const std::string& word = words_[next_++];
      TRY(word.starts_with("--") ? long_option(word) : letters(word));
    }
    return CommandLine{std::move(arguments_), words_.subspan(next_)};
  }

 private:
  const Option* find(std::string_view name, char letter) const {
    for (const std::span<const Option> table : {options_, global_options()}) {
      for (const Option& option : table) {
        if (option.is_positional()) continue;
        if (letter != 0 ? option.letter == letter : option.name == name) return &option;
      }
    }
    return nullptr;
  }

  Error unknown(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const std::span<const Option> table : {options_, global_options()}) {
      for (const Option& option : table) {
        if (!option.is_positional()) names.emplace_back(option.name);
      }
    }
    const std::string near = near_miss(name, names);
    const std::string_view blank = verb_.empty() ? "" : " ";
    if (arguments_.has("command")) {  // An option of that command, more likely.
      return invalid(fmt::format("'spoor{}{}' has no option '{}'", blank, verb_, name),
                     fmt::format("put the command's own options after '--': spoor {} {} -- {}",
                                 verb_, arguments_.text("command"), name));
    }
    return invalid(fmt::format("'spoor{}{}' has no option '{}'", blank, verb_, name),
                   near.empty() ? fmt::format("see 'spoor help{}{}'", blank, verb_)
                                : fmt::format("did you mean '{}'?", near));
  }

  Result<void> long_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Option* option = find(name, 0);
    if (option == nullptr) return unknown(name);
    if (option->is_flag()) {
      if (equals != std::string::npos) {
        return invalid(fmt::format("'{}' takes no value", name));
      }
      return take(*option, "");
    }
    if (equals != std::string::npos) return take(*option, word.substr(equals + 1));
    return take_next(*option);
  }

  // -n 5, -n5, -pn5, -20.
  Result<void> letters(const std::string& word) {
    const Option* count = find({}, 'n');
    if (count != nullptr && is_number(std::string_view(word).substr(1))) {
      return take(*count, word.substr(1));
    }
    for (std::size_t i = 1; i < word.size(); ++i) {
      const Option* option = find({}, word[i]);
      if (option == nullptr) return unknown(fmt::format("-{}", word.substr(i)));
      if (option->is_flag()) {
        TRY(take(*option, ""));
        continue;
      }
      if (i + 1 < word.size()) return take(*option, word.substr(i + 1));
      return take_next(*option);
    }
    return {};
  }

  Result<void> take_next(const Option& option) {
    if (next_ == words_.size()) {
      return invalid(fmt::format("'{}' needs a value: {}", option.name, option.value));
    }
    return take(option, words_[next_++]);
  }

  Result<void> take(const Option& option, std::string value) {
    TRY(api::check_value(option, value));
    if (option.takes == Takes::path) value = expand_home(environment_, std::move(value));
    arguments_.add(option.name, std::move(value));
    return {};
  }

  Result<void> positional(const std::string& word) {
    for (const Option& option : options_) {
      const bool repeats = option.count == Count::many || option.count == Count::some;
      if (option.is_positional() && (repeats || !arguments_.has(option.name))) {
        return take(option, word);
      }
    }
    return invalid(fmt::format("'spoor {}' does not take an argument '{}'", verb_, word),
                   fmt::format("see 'spoor help {}'", verb_));
  }

  Result<void> nothing_missing() const {
    // With these, required arguments may be missing.
    if (arguments_.has("--help") || arguments_.has("--version")) return {};
    for (const Option& option : options_) {
      const bool needed = option.count == Count::one || option.count == Count::some;
      if (option.is_positional() && needed && !arguments_.has(option.name)) {
        return invalid(fmt::format("'spoor {}' needs {}: {}", verb_, option.value, option.help),
                       fmt::format("see 'spoor help {}'", verb_));
      }
    }
    return {};
  }

  std::string_view verb_;
  std::span<const Option> options_;
  std::span<const std::string> words_;
  const Environment& environment_;
  std::size_t next_ = 0;
  bool only_positionals_ = false;
  Arguments arguments_;
};

}  // namespace

std::span<const Option> global_options() { return kGlobal; }

Result<Arguments> parse_arguments(const Command& command, std::span<const std::string> words,
                                  const Environment& environment) {
  return Parser(command.name, command.options, words, environment).command_arguments();
}

Result<CommandLine> parse_global(std::span<const std::string> words,
                                 const Environment& environment) {
  return Parser({}, {}, words, environment).leading_options();
}

}  // namespace spoor::cli
