#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "agent/runs.h"
#include "graph/repository.h"
#include "trace/step.h"

namespace spoor::trace {

/// Which commits of a line are derived, and how much of them is read.
struct DeriveOptions {
  /// Nothing: the whole line of first parents. A run: its own commits on that line.
  std::optional<agent::RunName> run = {};

  /// Also the steps that the run has from the runs it goes on from.
  bool with_origins = false;

  /// Read the arguments of calls. Without them a call has its name alone where the meta of the
  /// answer names it, and no text is read.
  bool arguments = true;
};

/// Derives steps from commits: the one reader of what a session or run did. The same commits give
/// the same steps, in whatever pieces they are read.
///
/// Steps come in the order of the line, with two exceptions. The commits of one provider message
/// are one step, and results of its own calls between them follow it. A result that is stored
/// before its call (stores written by old importers have such) is held until the call comes. The
/// critic's answers of a run come before the step they led to.
///
/// Absent and erased bytes are read as empty. Its memory is that of the calls without a result and
/// of one message. For one thread; the repository must outlive it.
class Deriver {
 public:
  using Sink = std::function<Result<void>(const Step&)>;

  explicit Deriver(const graph::Repository& repository, DeriveOptions options = {});
  ~Deriver();
  Deriver(Deriver&&) noexcept;

  /// Derives what was not derived before, up to `head` and, of the critic's own chain, `critic`.
  /// Returns Code::invalid if `head` does not come after what was derived already, and the errors
  /// of reading and of the sink.
  Result<void> advance(const Oid& head, const std::optional<Oid>& critic, const Sink& sink);

  /// Derives what waits for more: the last message, and the calls without a result.
  Result<void> finish(const Sink& sink);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Derives all steps of a line up to `head`, or those of a run.
Result<void> derive(const graph::Repository& repository, const DeriveOptions& options,
                    const Oid& head, const Deriver::Sink& sink);

/// Derives the steps of several lines. Steps that lines share are derived in the first of them, and
/// those of lines in `without` not at all; so are steps of copies (rebase, cherry-pick, revert).
Result<void> derive_lines(const graph::Repository& repository, const std::vector<Oid>& tips,
                          const std::vector<Oid>& without, const Deriver::Sink& sink);

/// Reads the text of a reason; empty if its bytes are absent. Of a rationale that is its `why`.
Result<std::string> read_reason(const store::Reader& reader, const Reason& reason);

}  // namespace spoor::trace
