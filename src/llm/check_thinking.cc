#include "llm/check_thinking.h"

#include <algorithm>
#include <map>
#include <mutex>
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

// Returns nullopt if the request cannot be rebuilt.
Result<std::optional<RequestOutline>> sent_outline(const graph::Repository& repository,
                                                   const Oid& bundle) {
  const SentPrompt sent = TRY(sent_bundle(repository, bundle));
  if (sent.verdict != SentPrompt::Verdict::verified) return std::optional<RequestOutline>();
  return std::optional(TRY(wire::outline_of(sent.body)));
}

// The digests of the requests that were sent, by bundle. A bundle never names another request, so
// the process keeps them: each call of a run checks the same ones again. Safe to call from any
// thread.
class SentDigests {
 public:
  // nullopt: it cannot be rebuilt.
  Result<std::optional<Oid>> of(const graph::Repository& repository, const Oid& bundle) {
    {
      const std::scoped_lock lock(mutex_);
      const auto known = digests_.find(bundle);
      if (known != digests_.end()) return std::optional(known->second);
    }
    const auto outline = TRY(sent_outline(repository, bundle));
    if (!outline) return std::optional<Oid>();
    const Oid digest = wire::PrefixDigests(*outline).whole();
    const std::scoped_lock lock(mutex_);
    if (digests_.size() == kMost) digests_.clear();
    digests_[bundle] = digest;
    return std::optional(digest);
  }

 private:
  static constexpr std::size_t kMost = 100'000;  // Some 13 MB.

  std::mutex mutex_;
  std::map<Oid, Oid> digests_;
};

SentDigests& sent_digests() {
  static SentDigests digests;
  return digests;
}

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
  const wire::PrefixDigests prefixes(outline);
  for (std::size_t i = 0; i < thinking.size() && i < outline.thinking.size(); ++i) {
    const render::ThinkingBlock& block = thinking[i];
    const auto treatment =
        std::find_if(treatments.begin(), treatments.end(),
                     [&](const Treatment& one) { return one.commit == block.reasoning; });
    if (treatment == treatments.end()) continue;
    const auto answer = TRY(repository.reader().commit(block.answer));
    const std::string maker = TRY(compile::read_facts(answer->meta)).get(fact::model);
    std::optional<RequestOutline> request;  // That the block answered, if the digests differ.
    if (wire::checks_prefix(model)) {
      const auto bundle = TRY(request_bundle_of(repository, block.answer));
      const auto sent = bundle ? TRY(sent_digests().of(repository, *bundle)) : std::nullopt;
      if (!sent) treatment->why = "the request that led to it is not known";
      if (sent && *sent != prefixes.before(i, block.own)) {
        request = TRY(sent_outline(repository, *bundle));
      }
    }
    const wire::ThinkingOrigin origin{
        .request = request ? &*request : nullptr, .caller = {.model = maker}, .own = block.own};
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
  return fmt::format("thinking that is not valid any more is left out, {} block(s): {} ({})", count,
                     first->why, first->reason);
}

}  // namespace spoor::llm
