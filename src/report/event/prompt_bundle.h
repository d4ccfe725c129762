#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "graph/repository.h"
#include "report/event/event.h"

namespace spoor::report {

using store::Oid;

/// Reads the prompt that was sent to a model from the bundle that an answer, or a failed call,
/// names: compiles the commit in the bundle with the options in the bundle. A snippet is a turn
/// that records where it was retrieved from (`retrieved_from` in meta).
///
/// Every difference between the request and the turns of the branch is a transformation, described
/// without their texts: templates, edits, summaries, parts left out by the window, the budget or a
/// directive, changes of rendering for the provider, hooks.
///
/// Borrows the repository. For one thread.
class BundleReader {
 public:
  explicit BundleReader(const graph::Repository& repository) : repository_(repository) {}

  /// Fills in the contents of the bundle: messages, tools, transformations, the hash of them all,
  /// model and parameters. If a part is no longer present, or its tokens were counted by another
  /// counter, the prompt stays unknown. Returns the store's errors of reading.
  Result<void> read(const Oid& bundle, PromptProvenance& provenance);

 private:
  // The facts in the meta of a turn in a prompt.
  struct PartFacts {
    compile::Capture capture = compile::Capture::full;
    std::string retrieved_from;
  };
  Result<PartFacts> facts_of(const Oid& commit);
  Result<void> add_messages(const compile::Prompt& prompt, PromptBundle& bundle);
  Result<void> fill(const Oid& name, PromptProvenance& provenance);

  const graph::Repository& repository_;
  std::unordered_map<Oid, PartFacts> facts_;  // Of commits in prompts; bounded.
};

}  // namespace spoor::report
