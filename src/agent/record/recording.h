#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/repository.h"

namespace spoor::agent::record {

using compile::Oid;

/// What a run was started with: its root commit, read back.
struct Header {
  std::string id;  ///< the first 16 digits of the root's name
  Oid root;
  Oid head;  ///< the run's last commit
  std::string goal;
  std::string planner;    ///< `react`, `plan_and_execute`, `reflexion`
  std::string session;    ///< the branch it was started on
  std::string principal;  ///< may be empty
  std::string options;    ///< a JSON object
  std::string system;     ///< the system prompt it was told
  std::string origin;     ///< the run that this one goes on from, from `from_step` on; empty: none
  std::int64_t from_step = 0;
  std::optional<Timestamp> time;
  bool is_erased = false;  ///< the goal was
};

/// The refs of a run.
std::string head_ref(std::string_view run);
std::string critic_ref(std::string_view run);
constexpr std::string_view kRunRefs = "refs/runs/";

/// Code::not_found when there is no such run, Code::corrupt when its commits are no run's.
Result<Header> read_header(const graph::Repository& repository, const std::string& run);

/// Can the run be gone through again? Code::denied when it was captured in mode `hashed`: what was
/// said is known to the process that ran it, and to nobody else.
Result<void> check_readable(const Header& header);

/// What the commits of a run say, in their order: it is gone through again by taking from the
/// front.
struct Recording {
  struct Event {
    enum class Kind { answer, observation, saying, decision };
    Kind kind = Kind::answer;
    Oid commit;
    std::int64_t step = 0;
    std::int64_t call = 0;         ///< of an observation
    std::string word;              ///< an answer's purpose, a saying's mark, a decision's word
    std::vector<Oid> beside = {};  ///< decisions that were written with an answer
  };
  /// What was said to a call that waited for a person.
  struct Approval {
    std::optional<bool> is_approved;  ///< nothing: it waits
    std::string reason;
  };

  Header header;
  std::deque<Event> events;  ///< on the branch; without those of the run itself, such as its end
  std::deque<Event> critic;  ///< on the critic's own chain
  std::map<std::pair<std::int64_t, std::int64_t>, Approval> approvals;  ///< by step and call
  std::optional<std::string> ended;  ///< `stopped` of the end that nothing came after
  std::string ended_by;
  std::optional<Oid> end;  ///< and its commit
  /// It was the planner that ended or parked it: what has no result by then was never begun.
  bool ended_in_order = false;
  std::vector<Oid> cut_off;              ///< answers that broke off: paid for, and asked for again
  std::vector<Oid> failed;               ///< calls of models of which nothing could be committed
  std::chrono::microseconds elapsed{0};  ///< while it was running
  std::string options;  ///< those it was run with last: the header's, or of a later process

  /// Is there anything to go through again?
  bool is_empty() const { return events.empty() && critic.empty(); }
};

/// A run that goes on from a step of another one (Header::origin) has that one's steps before it.
Result<Recording> read_recording(const graph::Repository& repository, const std::string& run);

/// What the recording holds before a step.
Recording before_step(Recording recording, std::int64_t step);

/// The last commit of the branch before a step of the run: where another try can begin. The run's
/// own end for a step it did not come to.
Result<Oid> commit_before_step(const graph::Repository& repository, const std::string& run,
                               std::int64_t step);

}  // namespace spoor::agent::record
