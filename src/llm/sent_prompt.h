#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"
#include "llm/render/render.h"
#include "store/bundle.h"

namespace spoor::llm {

/// Records the request of a call in a draft and returns its bundle, which the answer names. The
/// cost does not depend on the length of the prompt. `hook` names what changed the body after
/// rendering; the body is then stored whole, since it cannot be rebuilt.
Result<compile::Oid> put_sent_prompt(graph::Draft& draft, const compile::Oid& commit,
                                     const render::Recipe& recipe, std::string_view counter,
                                     std::string_view body, const std::optional<std::string>& hook);

/// Returns the recipe of the body that a bundle names. Code::unavailable if its tokens were counted
/// by another counter than the repository's.
Result<render::Recipe> recipe_of(const graph::Repository& repository, const store::Bundle& bundle);

/// The request of an answer, rebuilt from the graph.
struct SentPrompt {
  enum class Verdict {
    verified,        ///< `body` has the digest that was recorded when it was sent
    copied,          ///< `body` is the program's own copy, which is not what was sent byte for byte
    differs,         ///< `body` has another digest: a part of it has changed
    cannot_rebuild,  ///< `why` names the missing part; `body` is empty
  };
  /// Why it cannot be rebuilt although the record is complete.
  enum class Withheld {
    no,
    erased,   ///< a part was erased, and a tombstone records it
    hashed,   ///< only a keyed hash was kept of a part or of the body
    altered,  ///< a known key was removed from the stored body
  };
  Verdict verdict = Verdict::cannot_rebuild;
  Withheld withheld = Withheld::no;
  std::string why;
  std::string body;
  bool was_stored = false;  ///< the body was stored, not rebuilt
  compile::Oid bundle_name;
  store::Bundle bundle;
  compile::Prompt prompt;                     ///< of a rebuilt body, as is `treatments`
  std::vector<render::Treatment> treatments;  ///< without check_thinking()
  std::vector<render::ThinkingBlock> thinking;
};
std::string_view name_of(SentPrompt::Verdict verdict);

/// Where notes of captured exchanges are: the note about an answer names its request's bundle.
constexpr std::string_view kCaptures = "refs/captures/";

/// Returns the ref of those of a conversation, by the names of its agent and of its session, or
/// of its first commit if the session has no name.
std::string captures_of(std::string_view agent, std::string_view session);

/// A request that passed through a proxy.
struct CapturedRequest {
  compile::Oid note;                   ///< sent_prompt() rebuilds its body
  compile::Oid asked;                  ///< the end of the conversation when it was sent
  std::optional<compile::Oid> answer;  ///< nullopt: no turn of the conversation answers it
  std::optional<Timestamp> time;
  std::string model;
  std::uint64_t bytes = 0;
  bool is_exact = true;  ///< false: a secret was taken out of it, or it is the program's own copy
};

/// Returns those of the conversation that ends at `tip`, in order of time: also titles,
/// classifiers, failed ones, and one whose answer broke off and gave way to that of the next
/// attempt.
Result<std::vector<CapturedRequest>> captured_requests(const graph::Repository& repository,
                                                       const compile::Oid& tip);

/// Returns the refs with captured requests of the conversation that ends at `tip`.
Result<std::vector<store::Ref>> capture_refs(const graph::Repository& repository,
                                             const compile::Oid& tip);

/// Returns the captured request that was sent at `tip` and has an answer; else the last one whose
/// answer is `tip` or before it. nullopt: there is none.
Result<std::optional<CapturedRequest>> last_captured_request(const graph::Repository& repository,
                                                             const compile::Oid& tip);

/// The renderers of captured requests: of one that is stored as it was sent, of one with a
/// credential in its body, which was taken out before it was stored, and of a copy that the program
/// itself wrote.
constexpr std::string_view kCaptured = "captured/1";
constexpr std::string_view kCapturedAltered = "captured-altered/1";
constexpr std::string_view kCapturedCopy = "captured-copy/1";

/// Returns the bundle of the request that the commit `answer` answered: of our own record, or as a
/// proxy captured it. nullopt: none is recorded.
Result<std::optional<compile::Oid>> request_bundle_of(const graph::Repository& repository,
                                                      const compile::Oid& answer);

/// Rebuilds the exact body of the request that the commit `commit` answered: of our own record, or
/// as a proxy captured it; or that of a CapturedRequest's note. Code::not_found if no request is
/// recorded for it, Code::invalid if it is not an answer.
Result<SentPrompt> sent_prompt(const graph::Repository& repository, const compile::Oid& commit);

/// Like sent_prompt(), for a bundle. Also works for a call that got no answer.
Result<SentPrompt> sent_bundle(const graph::Repository& repository, const compile::Oid& bundle);

}  // namespace spoor::llm
