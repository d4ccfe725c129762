#include "trace/meta.h"

namespace spoor::trace {

Trust trust_of_usage(const compile::FactsView& facts, const llm::Usage& usage) {
  if (!usage.input && !usage.cached && !usage.cache_written && !usage.output) {
    return Trust::unknown;
  }
  const bool is_placeholder =
      facts.says("source", "claude-code") && facts.text("finish_reason").empty();
  return is_placeholder ? Trust::partial : Trust::reported;
}

bool was_refused(const compile::FactsView& facts, bool is_error, std::string_view text) {
  if (facts.json("refused_by").is_string()) return true;
  return is_error && facts.says("source", "claude-code") &&
         text.starts_with("The user doesn't want to proceed with this tool use");
}

}  // namespace spoor::trace
