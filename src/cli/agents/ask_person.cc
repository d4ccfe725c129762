#include "cli/agents/ask_person.h"

#include "cli/terminal/typed_line.h"

namespace spoor::cli {
std::optional<agent::PersonsAnswer> AskPerson::operator()(const agent::Tool& tool,
                                                          std::string_view arguments) {
  if (allowed_.contains(tool.id)) return agent::PersonsAnswer{.allows = true, .reason = "always"};
  Output& err = session_.err();
  // All of it, as it is: the person decides on nothing else.
  err.print(Style::tool, tool.id).print(" ").print(arguments).newline();
  while (true) {
    const auto line = read_typed_line(session_, "run it? yes, no, always, or why not: ");
    if (!line) {
      err.newline().flush();
      return std::nullopt;
    }
    if (line->empty()) continue;
    if (*line == "y" || *line == "yes") return agent::PersonsAnswer{.allows = true, .reason = {}};
    if (*line == "n" || *line == "no") return agent::PersonsAnswer{.allows = false, .reason = {}};
    if (*line == "a" || *line == "always") {
      allowed_.insert(tool.id);
      return agent::PersonsAnswer{.allows = true, .reason = "always"};
    }
    return agent::PersonsAnswer{.allows = false, .reason = *line};
  }
}

}  // namespace spoor::cli
