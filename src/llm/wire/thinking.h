#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/oid.h"

namespace spoor::llm::wire {

// Whether Anthropic still accepts a thinking block that is sent back. A block is bound to its
// model, to its prefix (system prompt, tools and earlier messages) and, for some models, to the
// account. Pure: computed from the bodies of two requests.
// platform.claude.com/docs/en/build-with-claude/preserved-thinking (2026-11): "What counts as an
// edit", "Switching models mid-conversation"

/// The parts of a Messages request to which thinking blocks are bound, as digests. Everything else
/// is left out: `cache_control`, all other parameters, formatting and the order of keys ("JSON
/// formatting and key order don't matter; the values do").
struct RequestOutline {
  /// A block of a message that is not thinking, with the message's role.
  struct Block {
    store::Oid digest;  ///< without the URLs of files
    store::Oid urls;    ///< the provider compares the bytes that they return
    std::size_t message = 0;
    bool is_compaction = false;
    std::vector<std::string> tools = {};  ///< names of the tools that it calls or loads
  };
  struct Tool {
    store::Oid digest;
    std::string name;
    bool is_deferred = false;  ///< `defer_loading`
  };
  struct Thinking {
    std::string path;        ///< `messages.1.content.0`, as the provider names blocks
    store::Oid id;           ///< of its signature, or of its data if it is redacted
    std::size_t before = 0;  ///< the number of `blocks` before it
  };
  store::Oid system;
  std::vector<Tool> tools;
  std::vector<Block> blocks;
  std::vector<Thinking> thinking;
};

/// Returns the outline of a request's body. Code::invalid if it is not a JSON object.
Result<RequestOutline> outline_of(std::string_view body);

/// Digests of the prefixes of a request, each of everything to which an answer after it is bound. A
/// block of thinking whose prefix has the digest of the whole request that it answered is valid, as
/// far as prefixes are compared; if the digests differ, judge_thinking() finds out why. Takes
/// linear time to make and constant time to ask.
class PrefixDigests {
 public:
  explicit PrefixDigests(const RequestOutline& request);

  /// Returns the digest of the whole request.
  store::Oid whole() const;
  /// Returns the digest of what precedes the answer to which the block `thinking[index]` belongs.
  /// `own` is as in ThinkingOrigin.
  store::Oid before(std::size_t index, std::size_t own) const;

 private:
  store::Oid digest(std::size_t blocks, std::size_t thinking) const;

  // Digests:
  store::Oid head_;                   // The system prompt and the set of tools.
  std::vector<store::Oid> blocks_;    // The first n since the last compaction before that.
  std::vector<store::Oid> thinking_;  // The first n.
  std::vector<std::size_t> places_;   // RequestOutline::Thinking::before.
};

/// A model and the account that it was called for; empty: unknown.
struct Caller {
  std::string_view model;
  std::string_view organization = {};
};

/// The origin of a thinking block.
struct ThinkingOrigin {
  const RequestOutline* request = nullptr;  ///< the one that it answered; null: unknown
  Caller caller;
  /// The number of blocks before it that are of the same answer and not thinking.
  std::size_t own = 0;
};

enum class Binding {
  valid,
  unknown,  ///< it depends on something that only the provider knows
  prefix_mismatch,
  model_mismatch,
  organization_mismatch,
};
/// Returns the provider's word, such as `prefix_binding_mismatch`; `valid` or `unknown`.
std::string_view name_of(Binding binding);

struct Judgement {
  Binding binding = Binding::valid;
  std::string why;  ///< for people; empty if valid

  bool operator==(const Judgement&) const = default;
};

/// Judges the block `request.thinking[index]` of a request to `reader`. Of several reasons,
/// returns the one that the provider reports: organization, model, prefix. An unknown origin or
/// account is not a reason.
Judgement judge_thinking(const RequestOutline& request, std::size_t index, const Caller& reader,
                         const ThinkingOrigin& origin);

}  // namespace spoor::llm::wire
