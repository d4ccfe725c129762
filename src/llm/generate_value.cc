#include "llm/generate_value.h"

#include <utility>

namespace spoor::llm {
namespace {

constexpr std::string_view kDirective = "structured_output";

}  // namespace

store::Result<GeneratedValue> generate_value(compile::Branch& branch, Candidate candidate,
                                             const Schema& schema, const GenerateOptions& options) {
  const StructuredRequest request = TRY(ask_for(candidate.provider->profile(), schema));
  const std::string own = candidate.params.empty() ? "{}" : candidate.params;
  candidate.params = TRY(merge_params(own, request.params));
  if (!request.instruction.empty()) TRY(branch.system(request.instruction, kDirective));

  GeneratedValue made;
  made.last = TRY(generate(branch, candidate, options));
  made.answer = TRY(read_structured(made.last.reply.text(), schema));
  if (made.answer.fits() || made.last.reply.failure) return made;
  made.was_nudged = true;
  made.last = TRY(chat(branch, nudge(made.answer), candidate, options));
  made.answer = TRY(read_structured(made.last.reply.text(), schema));
  return made;
}

}  // namespace spoor::llm
