#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/repository.h"

namespace spoor::agent::record {

using compile::Oid;
using store::Result;

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
  std::string origin;     ///< the run that this one goes on from, from `from_step` on; empty: none
  std::int64_t from_step = 0;
  std::optional<store::Timestamp> time;
};

/// The refs of a run.
std::string head_ref(std::string_view run);
std::string critic_ref(std::string_view run);
constexpr std::string_view kRunRefs = "refs/runs/";

/// Code::not_found when there is no such run, Code::corrupt when its commits are no run's.
Result<Header> read_header(const compile::Repository& repository, const std::string& run);

/// What the commits of a run say, in order, by what made them: a run is gone through again by
/// taking from the front of each.
struct Recording {
  struct Answer {
    Oid commit;
    std::string purpose;
    std::int64_t step = 0;
    std::vector<Oid> beside;  ///< decisions that were written with it
  };
  struct Observation {
    Oid commit;
    std::int64_t step = 0;
    std::int64_t call = 0;
  };
  struct Saying {
    Oid commit;
    std::string mark;
    std::int64_t step = 0;
  };
  struct Decided {
    Oid commit;
    std::string word;
    std::int64_t step = 0;
  };

  Header header;
  std::deque<Answer> answers;  ///< of agent and planner
  std::deque<Answer> critic;
  std::deque<Observation> observations;
  std::deque<Saying> sayings;         ///< nudges and critiques
  std::deque<Saying> critic_sayings;  ///< what the critic was asked
  std::deque<Decided> decisions;  ///< but for those that came with an answer, and of the run itself
  /// Calls that wait for a person, by step and call; and what was said to them.
  std::map<std::pair<std::int64_t, std::int64_t>, std::optional<bool>> approvals;
  std::optional<std::string> ended;      ///< `stopped` of the end that nothing came after
  std::optional<Oid> end;                ///< and its commit
  bool is_parked = false;                ///< the last thing was to wait for a person
  std::chrono::microseconds elapsed{0};  ///< while it was running
  std::uint64_t commits = 0;             ///< of the run, its root included
  std::string options;  ///< those it was run with last: the header's, or of a later process

  /// Is there anything to go through again?
  bool is_empty() const {
    return answers.empty() && critic.empty() && observations.empty() && sayings.empty() &&
           critic_sayings.empty() && decisions.empty();
  }
};

/// A run that goes on from a step of another one (Header::origin) has that one's steps before it.
Result<Recording> read_recording(const compile::Repository& repository, const std::string& run);

/// What the recording holds before a step.
Recording before_step(Recording recording, std::int64_t step);

/// The last commit of the branch before a step of the run: where another try can begin. The run's
/// own end for a step it did not come to.
Result<Oid> commit_before_step(const compile::Repository& repository, const std::string& run,
                               std::int64_t step);

}  // namespace spoor::agent::record
