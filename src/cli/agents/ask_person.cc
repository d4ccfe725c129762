#include "cli/agents/ask_person.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "cli/diff_lines.h"
#include "cli/terminal/typed_line.h"
#include "trace/edit_lines.h"

namespace spoor::cli {

using agent::PersonsAnswer;

namespace {

// A folder has one name in the rules, however it was typed.
std::string canonical(std::string folder) {
  std::error_code problem;
  const auto path = std::filesystem::weakly_canonical(folder, problem);
  return problem ? folder : path.string();
}

}  // namespace

AskPerson::AskPerson(Session& session, std::string root, bool may_ask)
    : session_(session),
      rules_(session.environment()),
      root_(canonical(std::move(root))),
      may_ask_(may_ask) {}

std::optional<PersonsAnswer> AskPerson::operator()(const agent::Tool& tool,
                                                   std::string_view arguments) {
  if (auto ruled = by_rule(tool.id, arguments)) return ruled;
  if (allowed_.contains(tool.id)) return PersonsAnswer{.allows = true, .reason = "always"};
  if (!may_ask_) return std::nullopt;
  return ask(tool.id, arguments);
}

std::optional<PersonsAnswer> AskPerson::by_rule(const std::string& tool,
                                                std::string_view arguments) {
  const auto found = rules_.find(root_, tool, arguments);
  if (!found) {
    session_.err().print(Style::warning, "warning").print(": ").print(found.error().message);
    session_.err().newline().flush();
    return std::nullopt;
  }
  if (!*found) return std::nullopt;
  return PersonsAnswer{.allows = (*found)->allows,
                       .reason = fmt::format("by the rule '{}'", (*found)->text())};
}

std::optional<PersonsAnswer> AskPerson::ask(const std::string& tool, std::string_view arguments) {
  Output& err = session_.err();
  print_proposed_call(err, tool, arguments);
  const auto offered = offered_rule(root_, tool, arguments);
  std::string question = "run it? yes, no, always";
  if (offered) {
    err.print(Style::muted, fmt::format("rule: {}", offered->text())).newline();
    question += ", rule, never";
  }
  question += ", or why not: ";
  while (true) {
    const auto line = read_typed_line(session_, question);
    if (!line) {
      err.newline().flush();
      return std::nullopt;
    }
    if (line->empty()) continue;
    const auto is = [&](std::string_view word) {
      return *line == word || *line == word.substr(0, 1);
    };
    if (is("yes")) return PersonsAnswer{.allows = true, .reason = {}};
    if (*line == "never" && offered) {
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
      allowed_.insert(tool);
      return PersonsAnswer{.allows = true, .reason = "always"};
    }
    return PersonsAnswer{.allows = false, .reason = *line};
  }
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

void print_proposed_call(Output& out, std::string_view tool, std::string_view arguments) {
  out.print(Style::tool, tool).print(" ");
  const bool is_edit = tool == "edit_file" || tool == "write_file";
  const auto document = is_edit ? json::parse(arguments) : json::Document();
  const json::Value root = document ? document->root() : json::Value();
  const std::string path = root.find("path").text();
  const auto diff = trace::diff_in_arguments(root, path);
  if (diff.empty()) {
    out.print(arguments).newline();
    return;
  }
  // The members that the diff does not show, so that the person sees all of the call.
  json::Object rest;
  for (const json::Member member : root.members()) {
    const std::string key = member.key.text();
    if (key != "old" && key != "new" && key != "content") rest.add_value(key, member.value);
  }
  out.print(rest.write()).newline();
  print_diff_lines(out, diff, "    ");
}

}  // namespace spoor::cli
