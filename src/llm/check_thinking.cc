#include "llm/check_thinking.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "llm/sent_prompt.h"
#include "llm/wire/thinking.h"
#include "llm/wire/thinking_models.h"

namespace spoor::llm {
namespace {

using compile::Oid;
using render::Treatment;
using wire::Binding;
using wire::RequestOutline;

// The requests that were sent, by bundle; nullopt: it cannot be rebuilt.
class SentOutlines {
 public:
  explicit SentOutlines(const graph::Repository& repository) : repository_(repository) {}

  Result<const RequestOutline*> of(const Oid& bundle) {
    const auto known = outlines_.find(bundle);
    if (known != outlines_.end()) return known->second ? &*known->second : nullptr;
    const SentPrompt sent = TRY(sent_bundle(repository_, bundle));
    std::optional<RequestOutline> outline;
    if (sent.verdict == SentPrompt::Verdict::verified) outline = TRY(wire::outline_of(sent.body));
    const auto& kept = outlines_.emplace(bundle, std::move(outline)).first->second;
    return kept ? &*kept : nullptr;
  }

 private:
  const graph::Repository& repository_;
  std::map<Oid, std::optional<RequestOutline>> outlines_;
};

void note(const RequestOutline::Thinking& block, const wire::Judgement& judged,
          Treatment& treatment) {
  switch (judged.binding) {
    case Binding::valid:
      return;
    case Binding::unknown:
      if (treatment.why.empty()) treatment.why = judged.why;
      return;
    case Binding::prefix_mismatch:
      treatment.kind = Treatment::Kind::unbound;
      break;
    case Binding::model_mismatch:
    case Binding::organization_mismatch:
      treatment.kind = Treatment::Kind::unreadable;
      break;
  }
  if (treatment.paths.empty()) {
    treatment.reason = name_of(judged.binding);
    treatment.why = judged.why;
  }
  treatment.paths.push_back(block.path);
}

}  // namespace

Result<void> check_thinking(const graph::Repository& repository, std::string_view model,
                            std::string_view body, std::span<const render::ThinkingBlock> thinking,
                            std::span<Treatment> treatments) {
  if (thinking.empty()) return {};
  const RequestOutline outline = TRY(wire::outline_of(body));
  SentOutlines sent(repository);
  for (std::size_t i = 0; i < thinking.size() && i < outline.thinking.size(); ++i) {
    const render::ThinkingBlock& block = thinking[i];
    const auto treatment =
        std::find_if(treatments.begin(), treatments.end(),
                     [&](const Treatment& one) { return one.commit == block.reasoning; });
    if (treatment == treatments.end()) continue;
    const auto answer = TRY(repository.reader().commit(block.answer));
    const std::string maker = TRY(compile::read_facts(answer->meta)).get(fact::model);
    wire::ThinkingOrigin origin{.request = nullptr, .caller = {.model = maker}, .own = block.own};
    if (wire::checks_prefix(model)) {
      if (answer->prompt) origin.request = TRY(sent.of(*answer->prompt));
      if (origin.request == nullptr) treatment->why = "the request that led to it is not known";
    }
    note(outline.thinking[i], wire::judge_thinking(outline, i, {.model = model}, origin),
         *treatment);
  }
  return {};
}

std::string describe_lost_thinking(std::span<const Treatment> treatments) {
  std::size_t count = 0;
  const Treatment* first = nullptr;
  for (const Treatment& treatment : treatments) {
    if (first == nullptr && !treatment.paths.empty()) first = &treatment;
    count += treatment.paths.size();
  }
  if (first == nullptr) return {};
  return fmt::format("the provider will not use {} of the thinking blocks sent back: {} ({})",
                     count, first->why, first->reason);
}

}  // namespace spoor::llm
