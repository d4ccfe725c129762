#include "llm/generate_value.h"

#include <utility>

namespace spoor::llm {
namespace {

constexpr std::string_view kDirective = "structured_output";

Result<GeneratedValue> ask(graph::Branch& branch, const Candidate& candidate, const Schema& schema,
                           const GenerateOptions& options) {
  GeneratedValue made;
  made.last = TRY(generate(branch, candidate, options));
  made.answer = TRY(read_structured(made.last.reply.text(), schema));
  if (made.answer.fits() || made.last.reply.failure) return made;
  made.was_nudged = true;
  made.last = TRY(chat(branch, nudge(made.answer), candidate, options));
  made.answer = TRY(read_structured(made.last.reply.text(), schema));
  return made;
}

}  // namespace

Result<GeneratedValue> generate_value(graph::Branch& branch, Candidate candidate,
                                      const Schema& schema, const GenerateOptions& options) {
  const StructuredRequest request = TRY(ask_for(candidate.provider->profile(), schema));
  const std::string own = candidate.params.empty() ? "{}" : candidate.params;
  candidate.params = TRY(merge_params(own, request.params));
  std::optional<compile::Oid> told;
  if (!request.instruction.empty()) told = TRY(branch.system(request.instruction, kDirective));
  auto made = ask(branch, candidate, schema, options);
  if (told) TRY(branch.annotate(*told, store::Priority::skip, "for one answer alone"));
  return made;
}

}  // namespace spoor::llm
