#include "llm/open_requests.h"

#include <utility>

#include <fmt/format.h>

#include "compile/facts_view.h"
#include "llm/commit_reply.h"

namespace spoor::llm {
namespace {

using compile::Oid;
using compile::Turn;
using graph::Draft;

constexpr std::size_t kDigits = 16;

// Returns the chain that keeps the decisions after their requests are settled. In a run's chain
// they name their bundles, since the run keeps them anyway; the other chain would keep the history
// of every request.
std::string chain_of(const compile::Facts& facts) {
  const std::string run = facts.get(fact::run);
  return run.empty() ? "refs/requests/sent" : fmt::format("refs/runs/{}/requests", run);
}

// Two processes may send the same request at the same moment: each gets its own ref.
Result<std::string> free_ref(Draft& draft, const Oid& commit) {
  const std::string ref = std::string(kOpenRequests) + commit.hex(kDigits);
  for (int number = 1;; ++number) {
    std::string name = number == 1 ? ref : fmt::format("{}-{}", ref, number);
    if (!TRY(draft.tip(name))) return name;
  }
}

}  // namespace

Result<std::vector<OpenRequest>> open_requests(const graph::Repository& repository,
                                               std::string_view run) {
  std::vector<OpenRequest> found;
  for (const store::Ref& ref : TRY(repository.store().refs(kOpenRequests))) {
    const auto commit = TRY(repository.reader().commit(ref.target));
    compile::FactsView facts;
    TRY(facts.read(commit->meta));
    const bool is_wanted = run.empty() || facts.says(fact::run, run);
    if (!is_wanted || !facts.says(fact::decision, kRequestBegun)) continue;
    OpenRequest open{.ref = ref.name, .commit = ref.target};
    open.provider = facts.get(fact::provider);
    open.model = facts.get(fact::model);
    open.run = facts.get(fact::run);
    open.purpose = facts.get(fact::purpose);
    open.step = facts.get(fact::step).value_or(0);
    open.attempts = facts.get(fact::attempts).value_or(1);
    open.prompt = commit->prompt;
    found.push_back(std::move(open));
  }
  return found;
}

std::uint64_t sendings_of(const std::vector<OpenRequest>& requests) {
  std::uint64_t sum = 0;
  for (const OpenRequest& request : requests) {
    if (request.attempts > 0) sum += static_cast<std::uint64_t>(request.attempts);
  }
  return sum;
}

Turn lost_call_turn(const OpenRequest& request) {
  Reply reply;
  reply.attempts = static_cast<int>(request.attempts);
  Turn turn = failed_call_turn(request.provider, request.model, reply, std::nullopt);
  turn.text = "the process ended before the answer was recorded";
  turn.facts.set(fact::failure, kLost);
  turn.facts.set(fact::purpose, request.purpose);
  turn.prompt = request.prompt;
  return turn;
}

RequestRecord::RequestRecord(graph::Repository& repository, compile::Facts facts, PutPrompt put)
    : repository_(repository), facts_(std::move(facts)), put_(std::move(put)) {}

Result<void> RequestRecord::begin() {
  Turn turn{.type = compile::Type::decision, .facts = facts_};
  turn.facts.set(fact::decision, kRequestBegun);
  if (attempts_ > 0) turn.facts.set(fact::attempts, attempts_ + 1);
  turn = graph::stamped(std::move(turn), repository_.author(), repository_.clock().now());
  const std::string chain = chain_of(facts_);
  const bool is_of_run = !facts_.get(fact::run).empty();
  std::string ref;
  TRY(repository_.transact("request", graph::OnConflict::reparent,
                           [&](Draft& draft) -> Result<void> {
                             if (is_of_run) turn.prompt = TRY(put_(draft));
                             const Oid commit = TRY(draft.append(chain, turn));
                             ref = ref_.empty() ? TRY(free_ref(draft, commit)) : ref_;
                             return draft.move(ref, commit);
                           }));
  ref_ = std::move(ref);
  ++attempts_;
  return {};
}

Result<void> RequestRecord::settle(Draft& draft) const {
  if (ref_.empty()) return {};
  return draft.move(ref_, std::nullopt);
}

}  // namespace spoor::llm
