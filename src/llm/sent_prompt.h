#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"
#include "llm/render/render.h"
#include "store/bundle.h"

namespace spoor::llm {

/// Records in a draft what a call is sent: the bundle that its answer names. The cost does not
/// depend on the length of the prompt. `hook` says what changed the body after it was rendered, in
/// its own words; the body is stored whole then, since it cannot be rebuilt.
Result<compile::Oid> put_sent_prompt(graph::Draft& draft, const compile::Oid& commit,
                                     const render::Recipe& recipe, std::string_view counter,
                                     std::string_view body, const std::optional<std::string>& hook);

/// How the body that a bundle names was made. Code::unavailable when its tokens were counted by
/// another counter than the repository's.
Result<render::Recipe> recipe_of(const graph::Repository& repository, const store::Bundle& bundle);

/// What an answer's request was, shown from the graph.
struct SentPrompt {
  enum class Verdict {
    verified,        ///< `body` has the digest that was recorded when it was sent
    differs,         ///< it has not: something it is made of is not what it was
    cannot_rebuild,  ///< `why` says what is missing; `body` is empty
  };
  /// Why it cannot be rebuilt, where the record says so itself and lacks nothing that it promised.
  enum class Withheld {
    no,
    erased,   ///< a part of it was, and a tombstone says so
    hashed,   ///< of a part, or of what was sent, only a keyed hash was kept
    altered,  ///< a known key was taken out of what was stored
  };
  Verdict verdict = Verdict::cannot_rebuild;
  Withheld withheld = Withheld::no;
  std::string why;
  std::string body;
  bool was_stored = false;  ///< the body itself was kept, and was not rebuilt
  compile::Oid bundle_name;
  store::Bundle bundle;
  compile::Prompt prompt;  ///< of a rebuilt one, as are the next
  std::vector<render::Treatment> treatments;
};
std::string_view name_of(SentPrompt::Verdict verdict);

/// Rebuilds the exact body that the answer `commit` was the reply to. Code::not_found when no
/// request is recorded for it, Code::invalid when it is no answer.
Result<SentPrompt> sent_prompt(const graph::Repository& repository, const compile::Oid& commit);

/// The same of a bundle, whoever names it: a call of which nothing came has one too.
Result<SentPrompt> sent_bundle(const graph::Repository& repository, const compile::Oid& bundle);

}  // namespace spoor::llm
