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

/// How much of an event must be known: for an agent whose internals can be examined, or for an
/// agent with only its input and output.
enum class Profile { white_box, black_box };

std::string_view name_of(Profile profile);  ///< `white-box`, `black-box`
std::optional<Profile> profile_from(std::string_view name);

/// Returns the members of an event that a profile requires and that are unknown, as JSON pointers
/// without their first slash, in the order of this list:
///
///   both       timestamp, request/user_request_raw, model_output/output_raw (of completions),
///              agent_action/tool_results (of actions) with their outputs
///   white-box  session/session_id, session/agent_id, prompt_provenance/provider,
///              prompt_provenance/model, prompt_provenance/prompt_bundle_hash,
///              model_output/usage/input_tokens and …/output_tokens (of completions)
std::vector<std::string> missing_of(const DecisionEvent& event, Profile profile);

/// The ways in which a record is incomplete.
enum class FailureMode {
  no_bundle,        ///< a model call whose prompt is not known
  no_correlation,   ///< an action without the completion that asked for it, or without ids
  no_capture_mode,  ///< a content is not in the mode that its commit states
  no_evaluation,    ///< an action without any judgement
  unrecorded_transformation,  ///< the sent request is not the result of the recorded turns and
                              ///< steps
  no_result,                  ///< a tool call whose result is not known
};
std::string_view name_of(FailureMode mode);  ///< `model-call-without-bundle`, …

/// A failure that was found.
struct Failing {
  FailureMode mode = FailureMode::no_bundle;
  bool is_error = true;  ///< false: a remark
  Oid commit;
  std::string why;  ///< for people
};

/// Finds failures in the events of a history, which are added in their order. Each event is looked
/// up in the graph again, so that it does not serve as its own evidence.
///
/// By default, an action without a judgement is a remark, since checks are made on request. Under
/// black_box, a model call without a bundle is neither error nor remark, and nothing is a
/// transformation. Calls that were not begun when the run was stopped, or while it is still
/// running, are remarks. Steps of a plan that were not taken are not calls. For one thread.
class Auditor {
 public:
  struct Options {
    Profile profile = Profile::white_box;
    std::set<FailureMode> required = {};  ///< errors that would otherwise be remarks
  };
  Auditor(const graph::Repository& repository, Options options)
      : repository_(repository), options_(std::move(options)) {}

  Result<void> add(const DecisionEvent& event);

  /// Returns the failures in the order of the events. Call it after the last event.
  std::vector<Failing> finish();

  std::uint64_t events() const { return events_; }
  std::uint64_t verified() const { return verified_; }  ///< requests whose bytes are the sent bytes

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
    std::size_t place = 0;  // The position of its finding.
    std::string run;
  };

  const graph::Repository& repository_;
  const Options options_;
  std::uint64_t events_ = 0;
  std::uint64_t verified_ = 0;
  std::map<std::string, Waiting> waiting_;   // By the completion's span.
  std::map<std::string, std::string> last_;  // By run: the span of the last completion with calls
  std::set<std::string> achieved_;           // Runs that achieved their goal.
  std::set<std::string> spans_;
  std::vector<std::pair<std::size_t, Failing>> found_;
};

}  // namespace spoor::report
