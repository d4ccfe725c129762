#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "attempts/tree.h"
#include "guard/check/evaluations.h"
#include "guard/check/judge.h"

namespace spoor::attempts {

using guard::check::Judgement;

/// All judgements of a store, by their commit.
using Judgements = std::map<Oid, std::vector<Judgement>>;

/// Whether an attempt passes.
enum class Verdict {
  pass,
  fail,
  unjudged,  ///< nothing has judged it, or what has could not tell
};
std::string_view name_of(Verdict verdict);

/// Returns the judgements of an attempt's last answer, then those of its end.
std::vector<Judgement> judgements_of(const Attempt& attempt, const Judgements& judgements);

/// Combines the judgements of an attempt: those of its end and of its last answer, except results
/// of `spoor check`, which are about single actions. The newest of each judge counts, and a
/// person's override replaces everything before it. A judge that could not tell does not count. One
/// that fails is enough to fail; a warning passes. An attempt that goes on after it was judged has
/// another end, so its judgements do not count any more.
Verdict verdict_of(const Attempt& attempt, const Judgements& judgements);

/// Returns what a judge that could not tell says why; empty if none says it.
std::string why_unknown(const Attempt& attempt, const Judgements& judgements);

/// The names of the judges among results, next to constraints and guard::check::kPerson.
constexpr const char* kTest = "test";
constexpr const char* kText = "text";
constexpr const char* kJudge = "judge";
constexpr const char* kConstraints = "constraints";

/// Reports whether a judge that `expects` asks for has not judged the end of the attempt by it yet,
/// or could not tell.
bool lacks_judgement(const Attempt& attempt, const Judgements& judgements,
                     const Expectation& expects);

/// Reports whether the judgements that count are not by `expects`, or could not tell.
bool is_judged_otherwise(const Attempt& attempt, const Judgements& judgements,
                         const Expectation& expects);

/// The end of a test command.
struct TestEnd {
  int exit_code = -1;  ///< -1: a signal, or its time was over
  std::string how;     ///< for people: `exit status 1`
  std::string output;  ///< the end of what it printed
};

/// Returns the judgement of `commit` by a test: pass if its exit status is 0.
Judgement tested(const Oid& commit, const std::string& command, const TestEnd& end);

/// Returns the judgement by a text that the answer must contain, apart from case and white space.
Judgement compared(const Oid& commit, const std::string& expected, const std::string& answer);

/// Returns the judgement by the results of checks of all actions by `constraints`: the worst of
/// them; pass if there are none.
Judgement checked(const Oid& commit, const std::string& constraints,
                  const std::vector<trace::CheckResult>& results);

/// Asks the judge model of `expects` whether the answer is correct; `unknown` if its reply cannot
/// be read. Returns errors of the model.
Result<Judgement> judged_by_model(const Oid& commit, const Expectation& expects,
                                  const std::string& goal, const std::string& answer,
                                  guard::check::Judges& judges);

}  // namespace spoor::attempts
