#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "agent/runs.h"
#include "graph/repository.h"
#include "guard/check/evaluations.h"
#include "llm/price.h"
#include "report/event/event.h"

namespace spoor::report {

using store::Oid;

/// How to make events from a history.
struct EventOptions {
  bool bundles = true;  ///< make the prompt of each completion; false: all are unknown, and the
                        ///< cost is that of the walk
  /// Prices of answers that state no cost; null: such a cost is unknown. Must outlive the
  /// projection.
  const llm::PriceList* prices = nullptr;
  /// The judgements of commits so far (guard::check::read_evaluations), which must outlive the
  /// projection; null: none.
  const std::map<Oid, std::vector<guard::check::Judgement>>* judgements = nullptr;
};

/// Makes events from commits, in the order of the chain. The events of a run include those of its
/// critic, each before the step that followed the verdict, and those of the agents that it called,
/// before the result of the call. A history that no run wrote, such as an imported session, has an
/// event for each message of the model and each result. Several records with one message id are one
/// event, at the first record; if another message is between them, they are two events, one before
/// it and one, without tokens, after it.
///
///   completion   an accepted answer: `plan` if it asks for an action, else `message`. An answer
///                that was cut off is `other`
///   failed call  a model was asked and no answer came: `other`
///   action       a tool's result; its type by type_of() (action_type.h). A call that was refused
///                before it ran is `blocked`
///   override     a person's override of the judgement of the event before it
///   end          the run ended: `message` with its answer, `no_op` without one
///
/// Ids are those of ids.h: the span of an action is that of its call, its parent the completion
/// that asked for it; a completion's parent is the run, if there is one. The first end of a run has
/// the run's own span, whose parent is the call that began the run, if any.
///
/// Reads forward: commits of finished events are not read again. Its own memory does not grow with
/// the history, but with one prompt, one answer and the calls that wait for results; the cache of
/// the repository's reader does grow, up to its bound (store/reader.h). For one thread.
class Projection {
 public:
  using Sink = std::function<Result<void>(DecisionEvent&&)>;

  /// Projects `run`, or any history if it is nullopt. The repository must outlive the projection.
  Projection(const graph::Repository& repository, std::optional<agent::RunName> run,
             EventOptions options = {});
  ~Projection();
  Projection(const Projection&) = delete;
  Projection& operator=(const Projection&) = delete;

  /// Passes on the events up to `head`, and to `critic`, that were not passed on before. Returns
  /// Code::invalid if `head` does not come after the commits read so far, and the errors of reading
  /// and of the sink.
  Result<void> advance(const Oid& head, const std::optional<Oid>& critic, const Sink& sink);

  /// Passes on the events that are held back: the last message of an imported session, and the
  /// critic's last verdict. Without this call they come late, but are not lost.
  Result<void> finish(const Sink& sink);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Makes all events of a run, or of the history of `head` if `run` is nullopt.
Result<void> project(const graph::Repository& repository, const std::optional<agent::RunName>& run,
                     const Oid& head, const EventOptions& options, const Projection::Sink& sink);

}  // namespace spoor::report
