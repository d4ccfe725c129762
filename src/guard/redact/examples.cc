#include "guard/redact/examples.h"

namespace spoor::guard {

store::Result<std::vector<ExampleFailure>> failing_examples(const RuleSet& rules) {
  std::vector<ExampleFailure> failures;
  for (const Rule& rule : rules.rules()) {
    const RuleSet alone(std::vector<Rule>{rule});
    for (const std::string& text : rule.positive) {
      const bool finds = !TRY(alone.find(text)).empty();
      if (!finds) failures.push_back({rule.id, text, "finds nothing"});
    }
    for (const std::string& text : rule.negative) {
      const bool finds = !TRY(alone.find(text)).empty();
      if (finds) failures.push_back({rule.id, text, "finds something"});
    }
  }
  return failures;
}

}  // namespace spoor::guard
