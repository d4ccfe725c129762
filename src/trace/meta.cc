#include "trace/meta.h"

namespace spoor::trace {

bool was_refused(const compile::FactsView& facts, bool is_error, std::string_view text) {
  if (facts.json(fact::refused_by).is_string()) return true;
  return is_error && facts.says(fact::source, "claude-code") &&
         text.starts_with("The user doesn't want to proceed with this tool use");
}

bool says_error(const compile::FactsView& facts, std::string_view text) {
  return facts.says(fact::source, "openhands") && text.starts_with("ERROR:");
}

}  // namespace spoor::trace
