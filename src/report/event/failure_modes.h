#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"
#include "report/event/event.h"

namespace spoor::report {

using store::Oid;

/// How much of an event must be known: of an agent whose inside is there to be looked at, or of one
/// of which only what went in and out is.
enum class Profile { white_box, black_box };

std::string_view name_of(Profile profile);  ///< `white-box`, `black-box`
std::optional<Profile> profile_from(std::string_view name);

/// The members of an event that a profile requires and that are unknown, as JSON pointers without
/// their first stroke, in the order of this list:
///
///   both       timestamp, request/user_request_raw, model_output/output_raw (of completions),
///              agent_action/tool_results (of actions) with their outputs
///   white-box  session/session_id, session/agent_id, prompt_provenance/provider,
///              prompt_provenance/model, prompt_provenance/prompt_bundle_hash,
///              model_output/usage/input_tokens and …/output_tokens (of completions)
std::vector<std::string> missing_of(const DecisionEvent& event, Profile profile);

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

  Result<void> add(const DecisionEvent& event);

  /// What was found, in the order of the events; at the end of them all.
  std::vector<Failing> finish();

  std::uint64_t events() const { return events_; }
  std::uint64_t verified() const { return verified_; }  ///< requests whose bytes are as they went

 private:
  void note(FailureMode mode, bool is_error, const Oid& commit, std::string why);
  Result<void> look_at_prompt(const DecisionEvent& event, const store::Commit& commit);
  Result<void> look_at_capture(const DecisionEvent& event, const store::Commit& commit);
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
