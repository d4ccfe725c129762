#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"
#include "report/event/profile.h"
#include "trace/event.h"

namespace spoor::report {

using store::Oid;

/// The ways in which a record says less than it must.
enum class FailureMode {
  no_bundle,        ///< a model was called, and what it was sent is not known
  no_correlation,   ///< an action without the completion that asked for it, or without ids
  no_capture_mode,  ///< what stands there is not of the mode that its commit says
  no_evaluation,    ///< an action that nobody and nothing has judged
  unrecorded_transformation,  ///< what was sent is not what the recorded turns and steps come to
  no_result,                  ///< a tool was called, and what came of it is not known
};
std::string_view name_of(FailureMode mode);  ///< `model-call-without-bundle`, …

/// One of them, found.
struct Failing {
  FailureMode mode = FailureMode::no_bundle;
  bool is_error = true;  ///< false: a remark
  Oid commit;
  std::string why;  ///< for people
};

/// Looks for them in the events of a history, which it is given in their order; each is looked up
/// in the graph again, so that an event is not its own witness.
///
/// Unless told otherwise: an action that nobody judged is a remark, since checks are made when
/// somebody asks for them; under black_box a model call without a bundle is none of either, and
/// nothing is a transformation; calls that were not begun when the run was stopped, or goes on, are
/// remarks. Steps of a plan that were not taken are no calls. For one thread.
class Auditor {
 public:
  struct Options {
    Profile profile = Profile::white_box;
    std::set<FailureMode> required = {};  ///< errors, where they would be remarks
  };
  Auditor(const graph::Repository& repository, Options options)
      : repository_(repository), options_(std::move(options)) {}

  store::Result<void> add(const DecisionEvent& event);

  /// What was found, in the order of the events; at the end of them all.
  std::vector<Failing> finish();

  std::uint64_t events() const { return events_; }
  std::uint64_t verified() const { return verified_; }  ///< requests whose bytes are as they went

 private:
  void note(FailureMode mode, bool is_error, const Oid& commit, std::string why);
  store::Result<void> look_at_prompt(const DecisionEvent& event, const store::Commit& commit);
  store::Result<void> look_at_capture(const DecisionEvent& event, const store::Commit& commit);
  void look_at_calls(const DecisionEvent& event, const store::Commit& commit);

  // A completion whose calls wait for their results.
  struct Waiting {
    Oid commit;
    std::size_t calls = 0;
    std::size_t results = 0;
    std::size_t place = 0;  // Where its finding would stand.
    std::string run;
  };

  const graph::Repository& repository_;
  const Options options_;
  std::uint64_t events_ = 0;
  std::uint64_t verified_ = 0;
  std::map<std::string, Waiting> waiting_;  // By the span of the completion.
  std::map<std::string, std::string>
      last_;                        // Of each run the span of the last completion with calls
  std::set<std::string> achieved_;  // Runs that ended as they wanted.
  std::set<std::string> spans_;
  std::vector<std::pair<std::size_t, Failing>> found_;
};

}  // namespace spoor::report
