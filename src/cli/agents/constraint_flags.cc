#include "cli/agents/constraint_flags.h"

#include <fmt/format.h>

#include "audit/check/checks.h"
#include "audit/event/json.h"
#include "cli/files.h"
#include "cli/session.h"
#include "cli/terminal/untrusted.h"

namespace spoor::cli {

Result<audit::check::KeptConstraints> read_constraint_flags(const Arguments& arguments) {
  audit::check::KeptConstraints kept;
  if (arguments.has(kConstraints.name)) {
    const std::string path = arguments.text(kConstraints.name);
    kept.file = TRY(read_given_file(path));
    TRY(audit::check::read_constraints(kept.file, path));  // For its name in errors.
  }
  kept.texts = arguments.all(kConstraint.name);
  kept.is_enforced = arguments.has(kEnforce.name);
  const audit::check::Rules rules = TRY(kept.rules());
  if (kept.is_enforced && audit::check::gating(rules).rules.empty()) {
    return store::invalid("'--enforce' has nothing to check before a call",
                          "give '--constraints FILE' with a check, or such as "
                          "--constraint 'scope: only src/'");
  }
  return kept;
}

void warn_of_unenforced(Session& session, const audit::check::Rules& rules) {
  for (const audit::check::Rule& rule : rules.rules) {
    if (audit::check::can_gate(rule)) continue;
    const audit::Constraint& constraint = rule.constraint;
    const char* why = audit::check::is_words(rule) ? "it is words, which no check looks at"
                                                   : "it looks at answers, and not at calls";
    session.err()
        .print(Style::warning, "warning:")
        .print(fmt::format(" '{}: {}' is not enforced: {}\n", audit::name_of(constraint.type),
                           visible_line(constraint.rule), why));
  }
}

std::string instructions_of(const audit::check::Rules& rules) {
  if (rules.rules.empty()) return {};
  std::string told = "Keep to these rules:\n";
  for (const audit::check::Rule& rule : rules.rules) {
    told += fmt::format("- {}: {}\n", audit::name_of(rule.constraint.type), rule.constraint.rule);
  }
  told.pop_back();
  return told;
}

}  // namespace spoor::cli
