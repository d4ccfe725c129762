#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "agent/runs.h"
#include "graph/repository.h"
#include "trace/step.h"

namespace spoor::trace {

/// The commits of a line to derive, and how much of them to read.
struct DeriveOptions {
  /// Nullopt: the whole line of first parents. A run: its own commits on that line.
  std::optional<agent::RunName> run = {};

  /// Also derive the steps that the run has from the runs it continues.
  bool with_origins = false;

  /// Read the arguments of calls. Otherwise a call has only its name, if the meta of the answer
  /// names it, and no text is read.
  bool arguments = true;

  /// Begin at this depth of a whole line: what precedes it is not read. A result whose call is
  /// before it has no arguments.
  std::uint64_t from = 0;
};

/// Derives steps from commits: the one reader of what a session or run did. The same commits give
/// the same steps, whatever the pieces in which they are read.
///
/// Steps are in the order of the line, with two exceptions. The commits of one provider message are
/// one step, and results of its own calls between them follow it. A result that is stored before
/// its call (as in stores written by old importers) is held until the call comes. The critic's
/// answers of a run come before the step they led to; on a whole line they are those that the
/// critic had given when the run's beginning was derived.
///
/// Absent and erased bytes are read as empty. Memory is bounded by the calls without a result and
/// one message. For one thread; the repository must outlive the deriver.
class Deriver {
 public:
  using Sink = std::function<Result<void>(const Step&)>;

  explicit Deriver(const graph::Repository& repository, DeriveOptions options = {});
  ~Deriver();
  Deriver(Deriver&&) noexcept;

  /// Derives the commits that were not derived before, up to `head` and, on the critic's own chain,
  /// up to `critic`. Returns Code::invalid if `head` does not come after the derived commits, and
  /// the errors of reading and of `sink`.
  Result<void> advance(const Oid& head, const std::optional<Oid>& critic, const Sink& sink);

  /// Returns the other sides of the merges that were derived, oldest first. Their steps are not
  /// derived.
  const std::vector<Oid>& merged() const;

  /// Derives the steps that are still held back: the last message, and the calls without a result.
  Result<void> finish(const Sink& sink);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Derives all steps of a line up to `head`, or those of a run.
Result<void> derive(const graph::Repository& repository, const DeriveOptions& options,
                    const Oid& head, const Deriver::Sink& sink);

/// Derives the steps of several lines, and after each those of the lines that were merged into it.
/// Steps that lines share are derived in the first of them.
/// Steps of lines in `without` and steps of copies (rebase, cherry-pick, revert) are left out.
Result<void> derive_lines(const graph::Repository& repository, const std::vector<Oid>& tips,
                          const std::vector<Oid>& without, const Deriver::Sink& sink);

/// Reads the text of a reason; empty if its bytes are absent. For a rationale it is its `why`.
Result<std::string> read_reason(const store::Reader& reader, const Reason& reason);

}  // namespace spoor::trace
