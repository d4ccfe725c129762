#include "llm/check_thinking.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

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

using SharedOutline = std::shared_ptr<const RequestOutline>;

// The requests that were sent, by bundle. A bundle never says another request, so the process keeps
// the newest: each call of a run checks the same ones again. Safe to call from any thread.
class SentOutlines {
 public:
  // nullptr: it cannot be rebuilt.
  Result<SharedOutline> of(const graph::Repository& repository, const Oid& bundle) {
    {
      const std::scoped_lock lock(mutex_);
      const auto known = outlines_.find(bundle);
      if (known != outlines_.end()) return known->second;
    }
    const SentPrompt sent = TRY(sent_bundle(repository, bundle));
    if (sent.verdict != SentPrompt::Verdict::verified) return SharedOutline();
    auto outline = std::make_shared<const RequestOutline>(TRY(wire::outline_of(sent.body)));
    const std::scoped_lock lock(mutex_);
    blocks_ += outline->blocks.size();
    if (blocks_ > kMostBlocks) {
      outlines_.clear();
      blocks_ = outline->blocks.size();
    }
    outlines_[bundle] = outline;
    return SharedOutline(std::move(outline));
  }

 private:
  static constexpr std::size_t kMostBlocks = 1'000'000;  // Some 120 MB.

  std::mutex mutex_;
  std::size_t blocks_ = 0;  // The sum of all.
  std::map<Oid, SharedOutline> outlines_;
};

SentOutlines& sent_outlines() {
  static SentOutlines outlines;
  return outlines;
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
  SharedOutline request;  // That the judged block answered.
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
      const auto bundle = TRY(request_bundle_of(repository, block.answer));
      request = bundle ? TRY(sent_outlines().of(repository, *bundle)) : nullptr;
      origin.request = request.get();
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
  return fmt::format("thinking that is not valid any more is left out, {} block(s): {} ({})", count,
                     first->why, first->reason);
}

}  // namespace spoor::llm
