#include "cli/agents/ask_person.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/files.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "cli/terminal/typed_line.h"
#include "cli/terminal/untrusted.h"
#include "cli/terminal/width.h"
#include "cli/views/diff_lines.h"
#include "cli/views/times.h"
#include "graph/unified_diff.h"
#include "trace/edit_lines.h"

namespace spoor::cli {

using agent::PersonsAnswer;

namespace {

constexpr std::uint64_t kLargestFile = 1U << 20U;  // A larger one is not compared.

// A folder has one name in the rules, however it was typed.
std::string canonical(const std::string& folder) {
  std::error_code problem;
  const auto path = std::filesystem::weakly_canonical(folder, problem);
  return problem ? folder : path.string();
}

// Returns all lines of a patch, as they are: a person decides on what is shown.
std::vector<graph::UnifiedLine> lines_of_patch(std::string_view patch) {
  std::vector<graph::UnifiedLine> lines;
  while (!patch.empty()) {
    const std::size_t end = std::min(patch.find('\n'), patch.size());
    const std::string_view line = patch.substr(0, end);
    const char kind = line.empty() ? ' ' : line.front();
    const bool is_whole = line.empty() || kind == '@';
    lines.push_back({kind, std::string(is_whole ? line : line.substr(1))});
    patch.remove_prefix(std::min(end + 1, patch.size()));
  }
  return lines;
}

// Returns the change that an editing call makes: of a file written as a whole, the difference from
// the file. Empty for another call.
std::vector<graph::UnifiedLine> change_of(const std::string& root, const std::string& tool,
                                          const json::Value& arguments) {
  const std::string path = arguments.find("path").text();
  if (tool == "patch_file") return lines_of_patch(arguments.find("patch").text());
  if (tool == "edit_file") return trace::diff_in_arguments(arguments, path);
  if (tool != "write_file" || !arguments.find("content").is_string()) return {};
  const auto before = read_file(root + '/' + path, kLargestFile);
  if (!before || !*before) return trace::diff_in_arguments(arguments, path);
  return graph::unified_diff(**before, arguments.find("content").text());
}

// Returns the rows that lines take at a terminal of this width.
std::size_t rows_of(std::string_view text, int columns) {
  return 1 + static_cast<std::size_t>(display_width(text) / std::max(columns, 1));
}

}  // namespace

AskPerson::AskPerson(Session& session, const std::string& root, WhoAnswers answers)
    : session_(session), rules_(session.environment()), root_(canonical(root)), answers_(answers) {}

std::set<std::string>& AskPerson::allowed() {
  Interactive* const interactive = session_.interactive();
  return interactive != nullptr ? interactive->allowed_tools : allowed_;
}

std::optional<PersonsAnswer> AskPerson::operator()(const agent::Tool& tool,
                                                   std::string_view arguments,
                                                   const std::string& agent) {
  if (auto ruled = by_rule(tool.id, arguments)) return ruled;
  if (answers_ == WhoAnswers::approves)
    return PersonsAnswer{.allows = true, .reason = "all approved"};
  if (allowed().contains(tool.id)) return PersonsAnswer{.allows = true, .reason = "always"};
  if (answers_ == WhoAnswers::no_one) return std::nullopt;
  return ask(tool.id, arguments, agent);
}

std::optional<PersonsAnswer> AskPerson::by_rule(const std::string& tool,
                                                std::string_view arguments) {
  const auto found = rules_.find(root_, tool, arguments);
  if (!found) {
    Output& err = session_.err();
    err.print(Style::warning, "warning").print(": ").print(found.error().message).newline();
    err.print(Style::hint, "hint").print(": ").print(found.error().hint).newline().flush();
    return std::nullopt;
  }
  if (!*found) return std::nullopt;
  return PersonsAnswer{.allows = (*found)->allows,
                       .reason = fmt::format("by the rule '{}'", (*found)->text())};
}

std::optional<PersonsAnswer> AskPerson::ask(const std::string& tool, std::string_view arguments,
                                            const std::string& agent) {
  Output& err = session_.err();
  show(tool, arguments, agent);
  const auto offered = offered_rule(root_, tool, arguments);
  std::string question = agent.empty() ? "run it" : fmt::format("run it for '{}'", agent);
  question += "? yes, no, always";
  if (offered) {
    err.print(Style::muted, "rule: " + visible_line(offered->text())).newline();
    question += ", rule, never";
  }
  question += ", or why not: ";
  while (true) {
    const auto line = read_typed_line(session_, question);
    if (!line) {
      err.newline().flush();
      return std::nullopt;
    }
    const std::string typed(trimmed(*line));
    std::string word = typed;
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto is = [&](std::string_view name) {
      return word == name || word == name.substr(0, 1);
    };
    if (word.empty()) continue;
    if (is("yes")) return PersonsAnswer{.allows = true, .reason = {}};
    if (word == "never" && offered) {
      keep(*offered, false);
      return PersonsAnswer{.allows = false, .reason = {}};
    }
    if (is("no")) return PersonsAnswer{.allows = false, .reason = {}};
    if (is("rule") && offered) {
      keep(*offered, true);
      return PersonsAnswer{.allows = true,
                           .reason = fmt::format("by the rule '{}'", offered->text())};
    }
    if (is("always")) {
      allowed().insert(tool);
      return PersonsAnswer{.allows = true, .reason = "always"};
    }
    return PersonsAnswer{.allows = false, .reason = typed};
  }
}

// Prints all of a call, an edit as a diff, since the person decides on what is shown.
void AskPerson::show(const std::string& tool, std::string_view arguments,
                     const std::string& agent) {
  Output& err = session_.err();
  const auto document = json::parse(arguments);
  const json::Value given = document ? document->root() : json::Value();
  const auto diff = change_of(root_, tool, given);
  // The members of an edit that the diff does not show.
  json::Object rest;
  for (const json::Member member : given.members()) {
    const std::string key = member.key.text();
    if (diff.empty() || (key != "old" && key != "new" && key != "content" && key != "patch")) {
      rest.add_value(key, member.value);
    }
  }
  // In canonical form: line ends and other signs of the model do not move what is shown.
  const std::string line = given.is_object() ? rest.write() : visible_line(arguments);
  const std::string whose = agent.empty() ? "" : agent + ": ";
  err.print(Style::muted, whose).print(Style::tool, tool).print(" ").print(line).newline();
  print_diff_lines(err, diff, "    ");
  std::size_t rows = rows_of(visible_line(whose + tool + " " + line), err.width());
  for (const graph::UnifiedLine& each : diff) rows += rows_of(visible_line(each.text), err.width());
  const auto screen = static_cast<std::size_t>(std::max(session_.terminal().height(), 4));
  if (rows + 3 <= screen) return;
  err.print(Style::warning,
            fmt::format("this call takes {} rows: scroll up to see its beginning", grouped(rows)))
      .newline();
}

void AskPerson::keep(ApprovalRule rule, bool allows) {
  rule.allows = allows;
  const auto kept = rules_.keep(rule);
  if (!kept) return session_.report(kept.error());
  session_.err()
      .print(Style::muted, fmt::format("{} in this folder, kept in {}",
                                       allows ? "always allowed" : "never allowed", rules_.path()))
      .newline()
      .flush();
}

}  // namespace spoor::cli
