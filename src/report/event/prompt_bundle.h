#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "graph/repository.h"
#include "report/event/event.h"

namespace spoor::report {

using store::Oid;

/// Reads what was sent to a model out of the bundle that an answer, or a failed call, names: the
/// commit that it names is compiled with the options that it names. A snippet is a turn that says
/// where it was retrieved from (`retrieved_from` in meta).
///
/// Everything that made the request another one than the turns of the branch is a transformation,
/// in words without their texts: templates, edits, summaries, what the window, the budget or a
/// directive left out, what rendering for the provider added or dropped, hooks.
///
/// Borrows the repository. For one thread.
class BundleReader {
 public:
  explicit BundleReader(const graph::Repository& repository) : repository_(repository) {}

  /// Fills in what the bundle tells: messages, tools, transformations, the hash of them all, model
  /// and parameters. Where something of it is not there any more, or its tokens were counted by
  /// another counter, the prompt stays unknown. Errors of reading are the store's.
  Result<void> read(const Oid& bundle, PromptProvenance& provenance);

 private:
  // What the meta of a turn in a prompt says of it.
  struct PartFacts {
    compile::Capture capture = compile::Capture::full;
    std::string retrieved_from;
  };
  Result<PartFacts> facts_of(const Oid& commit);
  Result<void> add_messages(const compile::Prompt& prompt, PromptBundle& bundle);
  Result<void> fill(const Oid& name, PromptProvenance& provenance);

  const graph::Repository& repository_;
  std::unordered_map<Oid, PartFacts> facts_;  // Of commits that prompts are made of; bounded.
};

}  // namespace spoor::report
