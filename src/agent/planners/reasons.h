#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/planners/steps.h"
#include "agent/record/recorder.h"

namespace spoor::agent::planners {

/// What a reason may cite in a run: `goal`, `obs:N`, the ids of calls, of tools that were used, and
/// commits, by 8 digits or more.
class KnownRefs {
 public:
  void add_observation(std::uint64_t number) { observations_ = number; }
  void add(std::string name) { names_.insert(std::move(name)); }

  /// `more`: so many observations that are going to be there.
  bool holds(std::string_view ref, std::uint64_t more = 0) const;

  /// Those of `rationale` that name nothing here.
  std::vector<std::string> unknown(const Rationale& rationale, std::uint64_t more = 0) const;

 private:
  std::uint64_t observations_ = 0;
  std::set<std::string, std::less<>> names_;
};

/// A call as an answer makes it, before anything is looked at.
struct Intent {
  std::string tool;
  std::string called_as = {};          ///< its name on the wire; empty: its id
  std::optional<Rationale> rationale;  ///< one of its own, beside the call
  std::vector<std::string> dropped;
  bool needs_reason = true;   ///< false for `finish`
  std::uint64_t earlier = 0;  ///< steps of its plan before it, whose observations it may cite
};

/// How an answer says its calls.
struct AnswerForm {
  bool is_native = true;               ///< beside the text; else the text is JSON, or holds it
  std::optional<std::string> thought;  ///< where the text is JSON: what of it is prose
};

/// What is to be recorded with an answer: the reasons of its calls, from beside them and from
/// blocks of the text; and as decisions what is missing, what was dropped, what cites the unknown,
/// and what was assumed. `finish` is no call. Nothing is made up.
record::Reading read_reasons(const record::Said& said, const std::vector<Intent>& intents,
                             const AnswerForm& form, const KnownRefs& known, bool asked_for);

}  // namespace spoor::agent::planners
