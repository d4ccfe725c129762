#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compile/prompt.h"
#include "compile/scrubber.h"
#include "llm/render/recipe.h"
#include "store/reader.h"

namespace spoor::llm::render {

/// A change that rendering made to the prompt.
struct Treatment {
  enum class Kind {
    replayed,     ///< reasoning that is sent back to its provider
    unbound,      ///< reasoning that is not valid because its prefix has changed: `why`
    unreadable,   ///< reasoning that this model or account may not read: `why`
    stripped,     ///< reasoning that the rule requires, but that cannot be sent: `why`
    synthesized,  ///< a result for a call without one
    orphan,       ///< a result without a call: not sent
    unsendable,   ///< an attachment that this wire cannot carry: not sent
    renamed,      ///< an answer with a call whose name this wire does not take: sent by another
    reordered,    ///< a system prompt that is sent in front, or a turn with an answer put before it
    unsaid,       ///< an answer with neither text nor calls: not sent
  };
  Kind kind = Kind::replayed;
  compile::Oid commit;      ///< the reasoning, the answer with the call, the result, or the turn
  std::string why;          ///< for people; may be empty
  std::string reason = {};  ///< of unbound and unreadable: the provider's word
  std::vector<std::string> paths = {};  ///< of these, had they been sent: `messages.1.content.0`

  bool operator==(const Treatment&) const = default;
};
std::string_view name_of(Treatment::Kind kind);

/// The text of a missing result.
constexpr std::string_view kMissingResult = "interrupted, effect unverified";

/// The answer between a result and a user's turn, where a provider requires one.
constexpr std::string_view kNoAnswer = "(interrupted)";

/// A call to be sent to a provider.
struct WireCall {
  const compile::ToolCall* call = nullptr;
  /// The call's own id if the wire accepts it and no earlier call of the dialogue has it, else one
  /// derived from it and from the call's number: the same in every rendering.
  std::string id;
  /// The call's own name if the wire accepts it or the recipe does not fit names, else one made of
  /// it: a model may call a tool that there is not.
  std::string name;
};

/// The result of one call.
struct CallResult {
  WireCall call;
  const compile::Part* part = nullptr;  ///< null: missing, kMissingResult is sent
};

/// The provider's own items of one part, or of one thought, as JSON texts.
using Items = std::vector<std::shared_ptr<const std::string>>;

/// A message to be sent to a provider.
struct Utterance {
  enum class Side { system, developer, user, assistant, results };

  /// One part of an answer: its text and calls, its items if the provider generated all of it, and
  /// this provider's reasoning to send before it.
  struct Piece {
    const compile::Part* part = nullptr;
    std::vector<WireCall> calls;
    Items items;
    bool lost_reasoning = false;  ///< some reasoning that led to it cannot be sent back
    struct Replayed {
      const compile::Part* part = nullptr;
      Items items;
    };
    std::vector<Replayed> thoughts;
  };

  Side side = Side::user;
  std::vector<Piece> pieces;        ///< empty for results
  std::vector<CallResult> results;  ///< for the calls of the previous answer, in their order
};

/// A thinking block of a body, in the order of the body.
struct ThinkingBlock {
  compile::Oid reasoning;
  compile::Oid answer;  ///< that the reasoning led to
  std::size_t own = 0;  ///< the number of the answer's blocks before it that are not thinking
};

/// A prompt arranged for a provider, so that no request is refused for a broken pair: every answer
/// with tool calls is followed by one utterance that has a result for each call and nothing else,
/// the wire accepts all ids, and empty answers are left out. Borrows the prompt, which must outlive
/// it.
struct Dialogue {
  std::vector<Utterance> utterances;
  std::vector<Treatment> treatments;
  std::vector<ThinkingBlock> thinking;  ///< as written by a renderer for Anthropic
  std::vector<std::unique_ptr<const compile::Part>> made;  ///< parts that the prompt does not have
};

/// `prompt` must be compiled with_thoughts. Reads the items to send back with one call to the
/// store. `originals` may have the bytes of items of which only a hash was stored.
Result<Dialogue> arrange(const compile::Prompt& prompt, const Recipe& recipe,
                         const store::Reader& reader, const compile::Scrubber& originals);

/// Returns the pictures attached to a part, with their media types, except those that were erased
/// or only hashed.
Result<std::vector<compile::Item>> pictures_of(const compile::Part& part,
                                               const store::Reader& reader,
                                               const compile::Scrubber& originals);

/// Returns the documents among the items of a user's part (document_item()). Leaves out those of a
/// part that was edited or from which a key was removed, and those that were erased or only hashed.
Result<std::vector<std::string>> documents_of(const compile::Part& part,
                                              const store::Reader& reader,
                                              const compile::Scrubber& originals);

}  // namespace spoor::llm::render
