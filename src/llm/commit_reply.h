#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/draft.h"
#include "llm/cost.h"
#include "llm/reply.h"

namespace spoor::llm {

/// Facts about a reply that the reply itself does not contain.
struct ReplyOrigin {
  std::string provider;                ///< the profile's name; empty: unknown
  std::string model;                   ///< as requested; empty: unknown
  std::optional<compile::Oid> prompt;  ///< the request's bundle; nullopt: unknown
  bool commit_reasoning = true;
  /// True if an earlier message of the history has the reply's id. Commits that share a
  /// `message_id` are one message, so the id is then stored as `response_id`.
  bool repeats_id = false;
  std::optional<Cost> cost;  ///< of the call; nullopt: unknown
  compile::Facts facts;      ///< more facts for all commits of the reply; the reply's own facts win
  std::string rationale;     ///< of the answer, a canonical JSON object; may be empty
};

/// Converts a reply to turns: the reasoning, if there is any and it is to be committed, then the
/// answer.
///
/// The provider's items are kept byte for byte next to the readable texts: those of the reasoning
/// with the reasoning, all others with the answer. If reasoning came between other items, the
/// answer keeps all items in their order. The caller sets author and time. Facts that do not fit
/// into a commit's meta are attached.
std::vector<compile::Turn> turns_of(const Reply& reply, const ReplyOrigin& origin);

/// The decision that records a call that returned nothing that could be committed. It has a bundle,
/// as answers have.
constexpr std::string_view kCallFailed = "call-failed";

/// The fact `failure` of a call whose outcome is unknown: the process ended, or this program
/// stopped the call after it was sent.
constexpr std::string_view kLost = "lost";

/// Returns the decision `call-failed` with the provider's message as its text. Its facts are
/// `provider`, `model` (as requested), `failure` (the kind), `status` if there was one, `attempts`
/// if there were several, `latency_ms` if it was measured, and `usage`, `tokens` and `cost_usd` if
/// they are known. Bytes that were received and could not be read are attached unchanged.
compile::Turn failed_call_turn(const std::string& provider, const std::string& model,
                               const Reply& reply, const std::optional<Cost>& cost);

/// Returns the bytes of a reply that cannot be committed: as received, else its items as a JSON
/// array.
std::string bytes_of(const Reply& reply);

/// The commits of one reply.
struct CommittedReply {
  std::optional<compile::Oid> reasoning;
  compile::Oid answer;
};

/// Appends a reply to the branch `ref`: all its commits or none. `now` is the time of all of them.
/// `author` is used if no valid model name is known.
Result<CommittedReply> commit_reply(graph::Draft& draft, const std::string& ref, const Reply& reply,
                                    const ReplyOrigin& origin, const std::string& author,
                                    Timestamp now);

}  // namespace spoor::llm
