#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/planners/steps.h"
#include "agent/record/recorder.h"

namespace spoor::agent::planners {

/// The things that a reason may cite in a run: `goal`, `obs:N`, ids of calls, ids of used tools,
/// and commits by at least 8 digits.
class KnownRefs {
 public:
  void add_observation(std::uint64_t number) { observations_ = number; }
  void add(std::string name) { names_.insert(std::move(name)); }

  /// `more`: how many further observations count as known.
  bool holds(std::string_view ref, std::uint64_t more = 0) const;

  /// Returns the refs of `rationale` that are not known.
  std::vector<std::string> unknown(const Rationale& rationale, std::uint64_t more = 0) const;

 private:
  std::uint64_t observations_ = 0;
  std::set<std::string, std::less<>> names_;
};

/// A call in an answer, before anything is checked.
struct Intent {
  std::string tool;
  std::string called_as = {};          ///< its name in the request; empty: its id
  std::optional<Rationale> rationale;  ///< given with the call itself
  std::vector<std::string> dropped;
  bool needs_reason = true;   ///< false for `finish`
  std::uint64_t earlier = 0;  ///< earlier steps of its plan, whose observations it may cite
};

/// The form of the calls in an answer.
struct AnswerForm {
  bool is_native = true;               ///< outside the text; else the text has JSON
  std::optional<std::string> thought;  ///< if the text is JSON: its prose
};

/// Returns what is recorded with an answer: the reasons of its calls, given with the calls and in
/// blocks of the text; and decisions for missing reasons, dropped parts, unknown citations and
/// assumptions. `finish` is not a call. Nothing is invented.
record::Reading read_reasons(const record::AnswerContent& content,
                             const std::vector<Intent>& intents, const AnswerForm& form,
                             const KnownRefs& known, bool asked_for);

}  // namespace spoor::agent::planners
