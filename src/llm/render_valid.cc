#include "llm/render_valid.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "llm/check_thinking.h"
#include "llm/sent_prompt.h"

namespace spoor::llm {
namespace {

using compile::Oid;

bool is_lost(const render::Treatment& treatment) {
  return treatment.kind == render::Treatment::Kind::unbound ||
         treatment.kind == render::Treatment::Kind::unreadable;
}

// Returns the reasoning in a body that its provider would not accept any more, with what is
// between.
std::optional<render::Recipe::Gap> lost_in(const std::vector<render::Treatment>& treatments) {
  const auto first = std::ranges::find_if(treatments, is_lost);
  if (first == treatments.end()) return std::nullopt;
  const auto last = std::find_if(treatments.rbegin(), treatments.rend(), is_lost);
  return render::Recipe::Gap{first->commit, last->commit};
}

// Returns the gap of the request that led to the newest answer: what was left out there stays out,
// because what was made without it would not be valid with it.
Result<std::optional<render::Recipe::Gap>> gap_before(const graph::Repository& repository,
                                                      const compile::Prompt& prompt) {
  for (auto message = prompt.messages.rbegin(); message != prompt.messages.rend(); ++message) {
    if (message->role != "assistant") continue;
    const auto answer = TRY(repository.reader().commit(message->parts.back().commit));
    if (!answer->prompt) continue;
    const auto bundle = TRY(repository.reader().bundle(*answer->prompt));
    return TRY(llm::recipe_of(repository, bundle)).replay_gap;
  }
  return std::optional<render::Recipe::Gap>();
}

// Returns the gap from the earlier first to the later last of the two, by their order in `all`. The
// front of `a`, or all of it, may not be shown any more.
render::Recipe::Gap joined(const render::Recipe::Gap& a, const render::Recipe::Gap& b,
                           const std::vector<Oid>& all) {
  const auto place = [&](const Oid& oid) { return std::find(all.begin(), all.end(), oid); };
  if (place(a.last) == all.end()) return b;
  return {place(a.first) < place(b.first) ? a.first : b.first,
          place(a.last) < place(b.last) ? b.last : a.last};
}

}  // namespace

Result<render::Rendered> render_valid(const graph::Repository& repository,
                                      const std::optional<Oid>& commit, render::Recipe& recipe) {
  std::vector<render::Treatment> lost;
  std::vector<Oid> all;  // The reasoning of the body.
  while (true) {
    render::Rendered made = TRY(render::render(repository, commit, recipe));
    TRY(check_thinking(repository, recipe.model, made.body, made.thinking, made.treatments));
    if (!recipe.replay_gap) {
      for (const render::ThinkingBlock& block : made.thinking) all.push_back(block.reasoning);
    }
    const auto gap = lost_in(made.treatments);
    if (!gap) {
      // Those that were left out keep the reason for it.
      for (render::Treatment& treatment : made.treatments) {
        if (treatment.kind != render::Treatment::Kind::stripped) continue;
        const auto found = std::find_if(lost.begin(), lost.end(), [&](const auto& one) {
          return one.commit == treatment.commit;
        });
        if (found != lost.end()) treatment = *found;
      }
      return made;
    }
    std::copy_if(made.treatments.begin(), made.treatments.end(), std::back_inserter(lost), is_lost);
    if (recipe.replay_gap) {
      recipe.replay_gap = joined(*recipe.replay_gap, *gap, all);
    } else {
      recipe.replay_gap = TRY(gap_before(repository, made.prompt)).value_or(*gap);
    }
  }
}

}  // namespace spoor::llm
