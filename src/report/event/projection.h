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

/// How events are made of a history.
struct EventOptions {
  bool bundles = true;  ///< the prompt of each completion; false: all of them are unknown, and the
                        ///< cost is that of the walk
  /// Prices of answers that state no cost; null: such a cost is unknown. Must outlive the
  /// projection.
  const llm::PriceList* prices = nullptr;
  /// What has been judged of commits so far (guard::check::read_evaluations), which must outlive
  /// the projection; null: nothing has.
  const std::map<Oid, std::vector<guard::check::Judgement>>* judgements = nullptr;
};

/// Makes events out of commits, in the order of the chain: of a run with those of its critic, each
/// before what followed the verdict, and those of the agents that it called, before the result of
/// the call. Of a history that no run wrote, such as an imported session, an event for each message
/// of the model and each result; of several records with one message id one event, under the first;
/// where another message stands between them, one before it and one, without tokens, behind.
///
///   completion   an answer that was accepted: `plan` where it asks for something to be done, else
///                `message`. One that was cut off is `other`
///   failed call  a model was asked and nothing came: `other`
///   action       a tool's result; its type by type_of() (action_type.h). One that was refused
///                before it ran is `blocked`
///   override     a person's overriding word on what the event before it did
///   end          the run ended: `message` with its answer, `no_op` without one
///
/// Ids are those of ids.h: the span of an action is that of its call, its parent the completion
/// that asked for it; a completion's parent is the run, where there is one. The first end of a run
/// has the run's own span, whose parent is the call that began it, if one did.
///
/// It reads forward: what was handed out is not read again. Its own memory does not grow with the
/// history, but with one prompt, one answer and the calls that wait for results; what the
/// repository's reader keeps does, up to its bound (store/reader.h). For one thread.
class Projection {
 public:
  using Sink = std::function<Result<void>(DecisionEvent&&)>;

  /// Of a run, or of nothing: then of any history. The repository must outlive it.
  Projection(const graph::Repository& repository, std::optional<agent::RunName> run,
             EventOptions options = {});
  ~Projection();
  Projection(const Projection&) = delete;
  Projection& operator=(const Projection&) = delete;

  /// Hands out the events up to `head`, and to `critic`, that were not handed out before. `head`
  /// must come after what was read so far: Code::invalid. Errors of reading, and of the sink.
  Result<void> advance(const Oid& head, const std::optional<Oid>& critic, const Sink& sink);

  /// Hands out what waits for more: the last message of an imported session, and the critic's last
  /// word. Nothing is lost without it, only late.
  Result<void> finish(const Sink& sink);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// All events of a run, or of the history of `head` where there is none.
Result<void> project(const graph::Repository& repository, const std::optional<agent::RunName>& run,
                     const Oid& head, const EventOptions& options, const Projection::Sink& sink);

}  // namespace spoor::report
