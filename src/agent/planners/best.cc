#include <utility>

#include <fmt/format.h>

#include "agent/planners/context.h"

namespace spoor::agent::planners {

using compile::Oid;

bool Context::is_nothing(const ToolResult& result) {
  return result.is_json && !result.is_error && result.text == "null";
}

void Context::note_result(std::int64_t step, const Call& call, const ToolResult& result,
                          const Oid& commit) {
  const std::string artifact = result.facts.get(fact::artifact);
  const auto exit_code = result.facts.get(fact::exit_code);
  const bool is_check = artifact == "test_run" || artifact == "command";
  const Catalogue::Entry* entry = catalogue_.find(call.tool);
  const bool only_reads = entry != nullptr && entry->tool != nullptr && entry->tool->read_only;
  const bool was_made = result.facts.get(fact::refused_by).empty();
  if (was_made && !only_reads) checked_.reset();  // It may have changed what was checked.
  if (result.is_error || is_nothing(result) || exit_code.value_or(0) != 0) return;
  Best best{.text = result.text,
            .verified = is_check ? Best::Verified::check : Best::Verified::tool,
            .how = fmt::format("{} in step {}", call.tool, step),
            .step = step,
            .commit = commit};
  if (exit_code) best.how += fmt::format(", exit code {}", *exit_code);
  (is_check ? checked_ : observed_) = std::move(best);
}

void Context::note_answer(const std::optional<std::string>& answer, Best::Verified verified,
                          std::string how) {
  if (!answer || progress.steps.empty()) return;
  answered_ = Best{.text = *answer,
                   .verified = verified,
                   .how = std::move(how),
                   .step = recorder_.last_step(),
                   .commit = progress.steps.back().commit};
}

std::optional<Best> Context::best() const {
  if (answered_) return answered_;
  return checked_ ? checked_ : observed_;
}

}  // namespace spoor::agent::planners
