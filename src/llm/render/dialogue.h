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

/// What rendering did beyond writing the prompt down.
struct Treatment {
  enum class Kind {
    replayed,     ///< reasoning that goes back to its provider
    unbound,      ///< the same, but what stood before it is no longer what it was bound to: `why`
    stripped,     ///< reasoning that the rule would send back, and that cannot be: `why`
    synthesized,  ///< a result for a call that has none
    orphan,       ///< a result without a call: not sent
    unsendable,   ///< an attachment that this wire has no place for: not sent
  };
  Kind kind = Kind::replayed;
  compile::Oid commit;  ///< the reasoning, the answer that calls, the result, the turn
  std::string why;      ///< for people; may be empty

  bool operator==(const Treatment&) const = default;
};
std::string_view name_of(Treatment::Kind kind);

/// What stands in place of a result that never came.
constexpr std::string_view kMissingResult = "interrupted, effect unverified";

/// A call on its way to a provider.
struct WireCall {
  const compile::ToolCall* call = nullptr;
  /// The call's own id where the wire takes it and no earlier call of the dialogue has it, else one
  /// that follows from it and from the call's number: the same in every rendering.
  std::string id;
};

/// The answer to one call.
struct CallResult {
  WireCall call;
  const compile::Part* part = nullptr;  ///< null: none came, kMissingResult is sent
};

/// The provider's own items of one part, or of one thought; texts of JSON.
using Items = std::vector<std::shared_ptr<const std::string>>;

/// One message on its way to a provider.
struct Utterance {
  enum class Side { system, developer, user, assistant, results };

  /// One part of an answer: what it says, its items where the provider itself made all of it, and
  /// the reasoning of this provider that goes back before it.
  struct Piece {
    const compile::Part* part = nullptr;
    std::vector<WireCall> calls;
    Items items;
    bool lost_reasoning = false;  ///< some that led to it cannot go back
    struct Replayed {
      const compile::Part* part = nullptr;
      Items items;
    };
    std::vector<Replayed> thoughts;
  };

  Side side = Side::user;
  std::vector<Piece> pieces;        ///< empty for results
  std::vector<CallResult> results;  ///< of the calls of the answer right before, in their order
};

/// A prompt put in order for a provider: every answer that calls tools is followed by one
/// utterance with a result for each call and nothing else, ids are such that the wire takes them,
/// and an answer that says nothing is left out, so that no request is refused for a broken pair.
/// Borrows the prompt, which must outlive it.
struct Dialogue {
  /// Which answer a reasoning led to, and at which message of the prompt.
  struct Lead {
    compile::Oid reasoning;
    compile::Oid answer;
    std::size_t message = 0;
  };
  std::vector<Utterance> utterances;
  std::vector<Treatment> treatments;
  std::vector<Lead> leads;  ///< of all reasoning that may go back
};

/// `prompt` was compiled with_thoughts. Reads the items that are to go back with one call to the
/// store; of those that were only hashed `originals` may know the bytes.
Result<Dialogue> arrange(const compile::Prompt& prompt, const Recipe& recipe,
                         const store::Reader& reader, const compile::Scrubber& originals);

/// The bytes of the pictures that are attached to a part, with their media types; without those
/// that were erased, or only hashed.
Result<std::vector<compile::Item>> pictures_of(const compile::Part& part,
                                               const store::Reader& reader,
                                               const compile::Scrubber& originals);

/// The documents among the items of a user's part (document_item()); none of one that was edited or
/// out of which a key was taken, and none that was erased, or only hashed.
Result<std::vector<std::string>> documents_of(const compile::Part& part,
                                              const store::Reader& reader,
                                              const compile::Scrubber& originals);

}  // namespace spoor::llm::render
