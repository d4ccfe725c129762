#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool.h"
#include "graph/repository.h"

namespace spoor::agent::record {

using compile::Oid;

/// The start of a run, read from its root commit.
struct Header {
  std::string id;  ///< the first 16 digits of the root's name
  Oid root;
  Oid head;  ///< the run's last commit
  std::string goal;
  std::string planner;    ///< `react`, `plan_and_execute`, `reflexion`
  std::string session;    ///< the branch on which it started
  std::string principal;  ///< may be empty
  std::string options;    ///< a JSON object
  std::string system;     ///< its system prompt
  std::string origin;     ///< the run that this one continues from step `from_step`; empty: none
  std::int64_t from_step = 0;
  std::optional<AttemptOf> attempt_of;  ///< of an attempt, which has no system prompt of its own
  std::optional<Timestamp> time;
  bool is_erased = false;  ///< the goal was erased
};

/// The refs of a run.
std::string head_ref(std::string_view run);
std::string critic_ref(std::string_view run);
constexpr std::string_view kRunRefs = "refs/runs/";

/// Returns Code::not_found if there is no such run, Code::corrupt if its commits are malformed.
Result<Header> read_header(const graph::Repository& repository, const std::string& run);

/// Checks that the run can be replayed. Returns Code::denied if its goal was erased, or if it was
/// captured in mode `hashed`: only the process that ran it has its texts.
Result<void> check_readable(const Header& header);

/// The events of a run, in order. A replay takes them from the front.
struct Recording {
  struct Event {
    enum class Kind { answer, observation, saying, decision };
    Kind kind = Kind::answer;
    Oid commit;
    std::int64_t step = 0;
    std::int64_t call = 0;  ///< for an observation
    std::string word;       ///< an answer's purpose, a saying's mark, a decision's word
    std::vector<Oid> beside =
        {};  ///< committed with an answer: decisions, results of calls not made
  };
  /// A person's answer to a call that waits for approval.
  struct Approval {
    std::optional<bool> is_approved;  ///< nullopt: it still waits
    std::string reason;
  };

  Header header;
  std::deque<Event> events;  ///< on the branch, without the run's own, such as its end
  std::deque<Event> critic;  ///< on the critic's chain
  std::map<std::pair<std::int64_t, std::int64_t>, Approval> approvals;  ///< by step and call
  std::optional<std::string> ended;  ///< `stopped` of the end, if nothing followed it
  std::string ended_by;
  std::optional<Oid> end;  ///< the end's commit
  std::string waits_in;    ///< the run, begun by its last call, in which a call waited for approval
  /// The planner ended or parked the run: a call without a result never began.
  bool ended_in_order = false;
  std::vector<Oid> cut_off;              ///< answers that broke off: paid for and asked again
  std::vector<Oid> failed;               ///< model calls of which nothing could be committed
  std::chrono::microseconds elapsed{0};  ///< while it ran
  std::string options;                   ///< the options of its last process

  /// True if nothing is left to replay.
  bool is_empty() const { return events.empty() && critic.empty(); }
};

/// Reads a run's events. A run that continues another (Header::origin) begins with its steps.
Result<Recording> read_recording(const graph::Repository& repository, const std::string& run);

/// Reports whether a call waits for approval in the run that the recording's last call began, or in
/// one below that.
Result<bool> waits_inside(const graph::Repository& repository, const Recording& recording);

/// Reports whether a call of the run waits for approval, or waits_inside().
Result<bool> waits(const graph::Repository& repository, const Recording& recording);

/// Returns the part of a recording before `step`.
Recording before_step(Recording recording, std::int64_t step);

/// Returns the branch's last commit before `step` of the run, where another attempt can begin. For
/// a step that the run did not reach, returns the run's last commit.
Result<Oid> commit_before_step(const graph::Repository& repository, const std::string& run,
                               std::int64_t step);

}  // namespace spoor::agent::record
