#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/draft.h"
#include "llm/money.h"
#include "llm/reply.h"

namespace spoor::llm {

/// What a reply does not say of itself.
struct ReplyOrigin {
  std::string provider;                ///< the profile's name; empty: unknown
  std::string model;                   ///< as it was asked for; empty: unknown
  std::optional<compile::Oid> prompt;  ///< the bundle of the request; nothing: unknown
  bool commit_reasoning = true;
  /// An earlier message of the history has the reply's id. Commits that share a `message_id` are
  /// one message, so it is kept as `response_id` then.
  bool repeats_id = false;
  std::optional<Money> cost;  ///< of the call; nothing: unknown
  compile::Facts facts;       ///< further ones, for all its commits; those of the reply win
  std::string rationale;      ///< of the answer, a canonical JSON object; empty: none
};

/// A reply as turns: its reasoning, where it has any and it is to be committed, then the answer.
///
/// The readable texts stand beside the provider's items, byte for byte: the reasoning's with the
/// reasoning, all others with the answer. Where thinking stood between other items, the answer
/// keeps them all, in their order. Author and time are left to the caller. What does not fit into
/// the facts of a commit is attached.
std::vector<compile::Turn> turns_of(const Reply& reply, const ReplyOrigin& origin);

/// The decision that says that a model was asked and nothing came that could be committed; it has a
/// bundle, as answers have.
constexpr std::string_view kCallFailed = "call-failed";

/// The fact `failure` of a call of which nobody knows what came of it: the process ended.
constexpr std::string_view kLost = "lost";

/// That decision: what the provider said, with the facts `provider`, `model` (as it was asked for),
/// `failure` (its kind), `status` where there was one, `attempts` where there were several,
/// `latency_ms` where it was measured, `usage`, `tokens` and `cost_usd` where they are known. What
/// was received and could not be read is attached, byte for byte.
compile::Turn failed_call_turn(const std::string& provider, const std::string& model,
                               const Reply& reply, const std::optional<Money>& cost);

/// The bytes of a reply that cannot be committed: as they were received, else its items.
std::string bytes_of(const Reply& reply);

/// The commits of one reply.
struct CommittedReply {
  std::optional<compile::Oid> reasoning;
  compile::Oid answer;
};

/// Adds a reply to the end of a branch: both commits or neither. `author` and `now` are those of a
/// reply that names no model, and of all its commits.
Result<CommittedReply> commit_reply(graph::Draft& draft, const std::string& ref, const Reply& reply,
                                    const ReplyOrigin& origin, const std::string& author,
                                    Timestamp now);

}  // namespace spoor::llm
