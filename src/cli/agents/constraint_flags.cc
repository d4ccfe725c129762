#include "cli/agents/constraint_flags.h"

#include <fmt/format.h>

#include "base/files.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"
#include "guard/check/checks.h"
#include "trace/event_json.h"

namespace spoor::cli {

Result<guard::check::RunConstraints> read_constraint_flags(const Arguments& arguments) {
  guard::check::RunConstraints kept;
  if (arguments.has(kConstraints.name)) {
    const std::string path = arguments.text(kConstraints.name);
    kept.file = TRY(read_given_file(path));
    TRY(guard::check::read_constraints(kept.file, path));  // Its errors name the file.
  }
  kept.texts = arguments.all(kConstraint.name);
  kept.is_enforced = arguments.has(kEnforce.name);
  const guard::check::Rules rules = TRY(kept.rules());
  if (kept.is_enforced && guard::check::gating(rules).rules.empty()) {
    return invalid("'--enforce' has nothing to check before a call",
                   "add '--constraints FILE' with a check, or "
                   "--constraint 'scope: only src/'");
  }
  return kept;
}

void warn_of_unenforced(Session& session, const guard::check::Rules& rules) {
  for (const guard::check::Rule& rule : rules.rules) {
    if (guard::check::can_gate(rule)) continue;
    const trace::Constraint& constraint = rule.constraint;
    const char* why = guard::check::is_words(rule) ? "it is a rule in words, without a check"
                                                   : "it checks answers, not calls";
    session.err()
        .print(Style::warning, "warning:")
        .print(fmt::format(" '{}: {}' is not enforced: {}\n", trace::name_of(constraint.type),
                           visible_line(constraint.rule), why));
  }
}

std::string instructions_of(const guard::check::Rules& rules) {
  if (rules.rules.empty()) return {};
  std::string told = "Keep to these rules:\n";
  for (const guard::check::Rule& rule : rules.rules) {
    told += fmt::format("- {}: {}\n", trace::name_of(rule.constraint.type), rule.constraint.rule);
  }
  told.pop_back();
  return told;
}

}  // namespace spoor::cli
