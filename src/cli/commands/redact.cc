// redact: preview redaction, and test its rules.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/json_writer.h"
#include "base/files.h"
#include "cli/branch_writes.h"
#include "cli/common_options.h"
#include "cli/session.h"
#include "cli/views/times.h"
#include "guard/redact/redactor.h"
#include "guard/redact/rule.h"
#include "guard/redact/rule_set.h"

namespace spoor::cli {

using api::JsonWriter;

namespace {

constexpr std::array kOptions = {
    Option{.name = "what",
           .value = "WHAT",
           .help = "test: run the rules' examples; scan: search a file; rules: list them",
           .takes = Takes::choice,
           .count = Count::one,
           .choices = "test|scan|rules"},
    Option{"file", "FILE", "test: a file of rules (default: the built-in ones); scan: a text, or -",
           0, Takes::path},
    Option{"--rules", "FILE", "scan, rules: your own rules before the built-in ones", 0,
           Takes::path},
    Option{"--exit-code", "", "scan: exit with status 1 if something would be redacted"},
    kJson,
};

constexpr std::array kExamples = {
    Example{"spoor store redact scan notes.md",
            "print where secrets are in a file, without showing them"},
    Example{"spoor store redact test my-rules.toml", "test these rules on their examples"},
};

Result<guard::RuleFile> own_rules(Session& session, const Arguments& arguments) {
  std::string path = arguments.text("--rules");
  if (path.empty()) path = TRY(session.config().get("redaction.rules")).text;
  if (path.empty()) return guard::RuleFile();
  const std::string text = TRY(read_given_file(path));
  return guard::read_rules(text, path);
}

Result<void> test(Session& session, const Arguments& arguments) {
  guard::RuleFile file;
  if (arguments.has("file")) {
    const std::string path = arguments.text("file");
    const std::string text = TRY(read_given_file(path));
    file = TRY(guard::read_rules(text, path));
  } else {
    file = TRY(guard::read_rules(guard::builtin_rules(), "rules.toml"));
  }
  const guard::RuleSet rules(std::move(file.rules), std::move(file.allowlists));
  TRY(rules.compile());
  const auto failures = TRY(guard::failing_examples(rules));
  std::size_t examples = 0;
  for (const guard::Rule& rule : rules.rules()) {
    examples += rule.positive.size() + rule.negative.size();
  }
  if (!failures.empty()) session.exit_with(kExitFailed);
  if (arguments.has("--json")) {
    JsonWriter json;
    json.object().member("rules", rules.rules().size()).member("examples", examples);
    json.list("failures");
    for (const auto& failure : failures) {
      json.object().member("rule", failure.rule).member("problem", failure.problem);
      json.member("text", failure.text).end();
    }
    session.out().verbatim(json.end().end().take());
    return {};
  }
  for (const auto& failure : failures) {
    session.out().print(Style::removed, failure.rule);
    session.out().print(fmt::format(" {}: {}\n", failure.problem, failure.text));
  }
  session.out().print(fmt::format("{}, {}, {} failed\n", counted(rules.rules().size(), "rule"),
                                  counted(examples, "example"), failures.size()));
  return {};
}

Result<void> list(Session& session, const Arguments& arguments) {
  const auto rules = TRY(guard::RuleSet::with_builtin(TRY(own_rules(session, arguments))));
  JsonWriter json;
  json.object().list("rules");
  for (const guard::Rule& rule : rules->rules()) {
    json.object().member("id", rule.id).member("description", rule.description);
    json.member("guesses", rule.guesses).end();
    if (arguments.has("--json")) continue;
    session.out().print(Style::strong, fmt::format("{:<22}", rule.id));
    session.out().print(rule.description).newline();
  }
  if (arguments.has("--json")) session.out().verbatim(json.end().end().take());
  return {};
}

// The position of a byte, counted from 1 as in editors.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

Position position_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_end = before.rfind('\n');
  return {1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
          line_end == std::string_view::npos ? at + 1 : at - line_end};
}

Result<void> scan(Session& session, const Arguments& arguments) {
  if (!arguments.has("file"))
    return session.usage_error("'spoor store redact scan' needs a text", "name a file, or -");
  const std::string path = arguments.text("file");
  const bool is_input = path == "-";
  const std::string text =
      is_input ? TRY(text_argument(session, path)) : TRY(read_given_file(path));
  const auto rules = TRY(guard::RuleSet::with_builtin(TRY(own_rules(session, arguments))));
  guard::MemoryNumbering numbers;
  std::vector<guard::Redaction> redactions;
  const guard::Redactor redactor(*rules, numbers);
  TRY(redactor.redact(text, is_input ? "" : path, &redactions));
  std::stable_sort(redactions.begin(), redactions.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });

  if (!redactions.empty() && arguments.has("--exit-code")) session.exit_with(kExitFailed);
  JsonWriter json;
  json.object().list("redactions");
  for (const guard::Redaction& redaction : redactions) {
    const Position at = position_of(text, redaction.at);
    if (arguments.has("--json")) {
      json.object().member("rule", redaction.rule).member("line", at.line);
      json.member("column", at.column).member("length", redaction.length);
      json.member("placeholder", redaction.placeholder).end();
      continue;
    }
    session.out().print(fmt::format("{}:{}:{}: ", path, at.line, at.column));
    session.out().print(Style::removed, redaction.rule);
    session.out().print(
        fmt::format(", {} -> {}\n", counted(redaction.length, "byte"), redaction.placeholder));
  }
  if (arguments.has("--json")) session.out().verbatim(json.end().end().take());
  return {};
}

Result<void> run(Session& session, const Arguments& arguments) {
  const std::string what = arguments.text("what");
  if (what == "test") return test(session, arguments);
  return what == "scan" ? scan(session, arguments) : list(session, arguments);
}

}  // namespace

extern const Command kRedact{
    .name = "store redact",
    .summary = "Test redaction rules on their examples or on a file",
    .options = kOptions,
    .run = run,
    .group = Group::care,
    .details =
        "A store made with 'spoor init --capture redacted' removes secrets from everything\n"
        "before it is written. The setting 'capture' does this for any store, and --capture\n"
        "redacted for one 'run' or 'import'. Each secret becomes a numbered placeholder, so\n"
        "that the conversation stays readable. The numbers are outside the store, with the\n"
        "keys of private stores (the setting keys.directory), as keyed hashes; without that\n"
        "file such a store accepts no new secret.\n"
        "\n"
        "scan prints where secrets are and never shows one. Your own rules are a TOML file\n"
        "in the format of gitleaks (docs/audit.md): use the setting redaction.rules, or\n"
        "'init --rules'.",
    .examples = kExamples,
};

}  // namespace spoor::cli
