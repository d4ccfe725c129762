#include "cli/help/complete.h"

#include <algorithm>
#include <optional>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/help/complete_ids.h"
#include "cli/terminal/untrusted.h"
#include "store/commit.h"

namespace spoor::cli {
namespace {

// The scripts ask the program for every candidate, so they never become outdated. Bash splits words
// at '=', which the program joins again.
constexpr std::string_view kBash = R"(# bash completion for spoor
_spoor() {
  local IFS=$'\n' line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("${line%%$'\t'*}")
  done < <(spoor __complete --split-at-equals "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ ${COMPREPLY[0]} == '//path' ]]; then
    COMPREPLY=()
    compopt -o default 2>/dev/null
  elif [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _spoor spoor
)";

constexpr std::string_view kZsh = R"(#compdef spoor
_spoor() {
  local -a found
  local line
  while IFS= read -r line; do
    if [[ $line == '//path' ]]; then
      _files
      return
    fi
    if [[ $line == *$'\t'* ]]; then
      found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    else
      found+=("${line//:/\\:}")
    fi
  done < <(spoor __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe 'spoor' found
}
if [[ $funcstack[1] == _spoor ]]; then
  _spoor "$@"
else
  compdef _spoor spoor
fi
)";

constexpr std::string_view kFish = R"(# fish completion for spoor
function __spoor_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (spoor __complete $words[2..-1] 2>/dev/null)
    if test "$found[1]" = //path
        __fish_complete_path (commandline -ct)
    else
        printf '%s\n' $found
    end
end
complete -c spoor -f -a '(__spoor_complete)'
)";

const Option* find_option(const Command* command, std::string_view word) {
  const auto search = [&](std::span<const Option> table) -> const Option* {
    for (const Option& option : table) {
      const bool is_letter =
          option.letter != 0 && word.size() == 2 && word[0] == '-' && word[1] == option.letter;
      if (!option.is_positional() && (word == option.name || is_letter)) return &option;
    }
    return nullptr;
  };
  const Option* own = command == nullptr ? nullptr : search(command->options);
  return own != nullptr ? own : search(global_options());
}

// The words typed so far: the verb, the number of positionals before the last word, and the option
// whose value the last word is.
struct Typed {
  const Command* command = nullptr;
  const Command* group = nullptr;  // Whose commands may follow; null: those of no group.
  std::size_t positionals = 0;
  const Option* waiting = nullptr;
  std::string store;
  bool only_positionals = false;
};

Typed read_typed(std::span<const std::string> before) {
  Typed typed;
  for (const std::string& word : before) {
    if (typed.waiting != nullptr) {
      if (typed.waiting->name == std::string_view("--store")) typed.store = word;
      typed.waiting = nullptr;
    } else if (!typed.only_positionals && word == "--") {
      typed.only_positionals = true;
    } else if (!typed.only_positionals && word.size() > 1 && word.front() == '-') {
      const std::size_t equals = word.find('=');
      const Option* option = find_option(typed.command, word.substr(0, equals));
      if (option == nullptr || option->is_flag()) continue;
      if (equals == std::string::npos) typed.waiting = option;
      if (equals != std::string::npos && option->name == std::string_view("--store")) {
        typed.store = word.substr(equals + 1);
      }
    } else if (typed.command == nullptr) {
      typed.command = find_command(word);
      if (typed.command == nullptr) return typed;
      if (is_group(*typed.command)) typed.group = typed.command;
    } else if (const Command* member = find_command(*typed.command, word);
               member != nullptr && typed.positionals == 0) {
      typed.command = member;
    } else {
      typed.group = find_command(word);
      ++typed.positionals;
    }
  }
  return typed;
}

const Option* positional_at(const Command& command, std::size_t index) {
  for (const Option& option : command.options) {
    if (!option.is_positional()) continue;
    const bool repeats = option.count == Count::many || option.count == Count::some;
    if (index == 0 || repeats) return &option;
    --index;
  }
  return nullptr;
}

void add_choices(std::vector<Candidate>& out, std::string_view choices) {
  while (!choices.empty()) {
    const std::size_t end = std::min(choices.find('|'), choices.size());
    out.push_back({std::string(choices.substr(0, end)), {}});
    choices.remove_prefix(std::min(end + 1, choices.size()));
  }
}

// The first words of commands; the second ones of those in `group`, if it is not null.
void add_verbs(Session& session, std::vector<Candidate>& out, const Command* group = nullptr) {
  for (const Command* command : all_commands()) {
    std::string_view name = command->name;
    const std::size_t space = name.find(' ');
    if (group == nullptr ? space != std::string_view::npos : !is_in(*command, *group)) continue;
    if (group != nullptr) name.remove_prefix(space + 1);
    if (session.interactive() == nullptr && is_for_session_only(*command)) continue;
    out.push_back({std::string(name), command->summary});
  }
}

void add_refs(Session& session, std::vector<Candidate>& out, bool all) {
  for (RefName& ref : session.ref_names(all)) {
    out.push_back({std::move(ref.name), std::move(ref.kind)});
  }
}

// Adds refs, ids and @numbers; after `A..`, for B.
void add_revisions(Session& session, std::vector<Candidate>& out, std::string_view start) {
  const std::size_t dots = start.rfind("..");
  const std::string before(dots == std::string_view::npos ? "" : start.substr(0, dots + 2));
  const std::size_t first = out.size();
  add_refs(session, out, true);
  for (Candidate& id : id_candidates(session, start.substr(before.size()))) {
    out.push_back(std::move(id));
  }
  for (std::size_t i = first; i < out.size(); ++i) out[i].text.insert(0, before);
}

// Adds runs, newest first, each with its goal.
void add_runs(Session& session, std::vector<Candidate>& out) {
  out.push_back({"latest", "the newest run"});
  for (Candidate& run : run_candidates(session)) out.push_back(std::move(run));
}

void add_types(std::vector<Candidate>& out) {
  for (int i = 0; i <= static_cast<int>(store::Type::note); ++i) {
    out.push_back({std::string(store::name_of(static_cast<store::Type>(i))), {}});
  }
  for (const char* op : {"edit", "annotate", "compress", "merge"}) out.push_back({op, {}});
}

// Adds values for an option that begin with `start`.
void add_values(Session& session, std::vector<Candidate>& out, const Option& option,
                std::string_view start, const Command* group = nullptr) {
  switch (option.takes) {
    case Takes::choice:
      return add_choices(out, option.choices);
    case Takes::verb:
      return add_verbs(session, out, group);
    case Takes::config_key:
      for (const ConfigKey& key : config_keys()) out.push_back({key.name, key.help});
      return;
    case Takes::type:
      return add_types(out);
    case Takes::path:
      out.push_back({std::string(kPathMark), {}});
      return;
    case Takes::branch:
      return add_refs(session, out, false);
    case Takes::run:
      add_runs(session, out);
      return add_revisions(session, out, start);
    case Takes::revision:
      return add_revisions(session, out, start);
    case Takes::text:
    case Takes::prose:
    case Takes::number:
    case Takes::positive:
    case Takes::time:
      return;
  }
}

void add_options(std::vector<Candidate>& out, const Command* command) {
  const auto add = [&out](std::span<const Option> table) {
    for (const Option& option : table) {
      if (!option.is_positional()) out.push_back({option.name, option.help});
    }
  };
  if (command != nullptr) add(command->options);
  add(global_options());
}

void keep_those_that_begin_with(std::vector<Candidate>& found, std::string_view start) {
  std::erase_if(found, [start](const Candidate& candidate) {
    return candidate.text != kPathMark && !candidate.text.starts_with(start);
  });
}

// Joins `--color = au`, as bash splits it, to `--color=au`. Returns true if the last word was such
// a value, since bash then expects only the value.
bool join_at_equals(std::vector<std::string>& words) {
  bool last_joined = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    last_joined = false;
    if (words[i] != "=" || i == 0 || !words[i - 1].starts_with("--")) continue;
    words[i - 1] += "=";
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    if (i < words.size()) {
      words[i - 1] += words[i];
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    }
    --i;
    last_joined = true;
  }
  return last_joined;
}

}  // namespace

std::vector<Candidate> candidates(Session& session, std::span<const std::string> words) {
  std::vector<Candidate> found;
  if (words.empty()) return found;
  const std::string& last = words.back();
  const Typed typed = read_typed(words.first(words.size() - 1));
  if (!typed.store.empty()) session.use_store(typed.store);

  const std::size_t equals = last.find('=');
  if (typed.waiting != nullptr) {
    add_values(session, found, *typed.waiting, last);
  } else if (last.starts_with("--") && equals != std::string::npos) {
    const std::string name = last.substr(0, equals);
    const Option* option = find_option(typed.command, name);
    if (option != nullptr && !option->is_flag()) {
      add_values(session, found, *option, std::string_view(last).substr(equals + 1));
    }
    for (Candidate& candidate : found) {
      if (candidate.text != kPathMark) candidate.text.insert(0, name + "=");
    }
  } else if (last.starts_with('-') && !typed.only_positionals) {
    add_options(found, typed.command);
  } else if (typed.command == nullptr) {
    add_verbs(session, found);
  } else if (const Option* option = positional_at(*typed.command, typed.positionals)) {
    add_values(session, found, *option, last, typed.group);
  }
  keep_those_that_begin_with(found, last);
  return found;
}

void complete(Session& session, std::span<const std::string> given) {
  std::vector<std::string> words(given.begin(), given.end());
  bool value_only = false;
  if (!words.empty() && words.front() == "--split-at-equals") {
    words.erase(words.begin());
    value_only = join_at_equals(words);
  }
  for (const Candidate& candidate : candidates(session, words)) {
    std::string text = candidate.text;
    if (value_only && text.starts_with("--")) text.erase(0, text.find('=') + 1);
    session.out().print(visible_line(text));
    if (!candidate.help.empty()) session.out().verbatim("\t").print(visible_line(candidate.help));
    session.out().newline();
  }
}

std::string_view completion_script(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  return {};
}

}  // namespace spoor::cli
